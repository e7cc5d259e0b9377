import type { AbilityRun } from '@apprentice/contracts/abilities/runs.ts'
import type { Recipe, RecipeStep } from '@apprentice/contracts/recipes/recipe.ts'
import { refreshAvailability } from '../../src/domain/abilities/availability.ts'
import { runCommand } from '../abilities/ability-rows.ts'
import type { Daemon } from '../kit/daemon.ts'
import { addInstallation } from '../projections/installed-rows.ts'

export const NOTES = 'org.apprentice.notes'
const id = (name: string) => `${NOTES}:id/${name}`

const row = {
  resource_id: id('note'),
  containing: { text_equals: '${inputs.title}', annotation: 'USER_SPECIFIC' as const },
}

/** Writes a note, opens it again and verifies its text. */
export const addNote: Recipe = {
  recipe_id: `${NOTES}.add-note`,
  recipe_version: '1.0.0',
  recipe_type: 'action',
  recipe_dialect: 2,
  application_id: NOTES,
  summary: 'Write a note',
  frameworks: ['views'],
  session_policy: 'fresh',
  app_build: { version_name: '1.8.0', version_code: 18 },
  tested_on: { android_api: 34 },
  capabilities: ['observe', 'navigate', 'click', 'type_text'],
  inputs: [
    { name: 'title', type: 'string', required: true, multiline: false },
    { name: 'body', type: 'string', required: true },
  ],
  outputs: [],
  steps: [
    { id: 'new', type: 'click', selector: { resource_id: id('new_note') } },
    { id: 'title', type: 'enter_text', selector: { resource_id: id('title') }, params: { text: '${inputs.title}' } },
    { id: 'body', type: 'enter_text', selector: { resource_id: id('body') }, params: { text: '${inputs.body}' } },
    { id: 'save', type: 'click', selector: { resource_id: id('save') } },
    { id: 'open', type: 'scroll_and_click', selector: row },
  ],
  verification: [{ id: 'written', selector: { resource_id: id('body') }, text_equals: '${inputs.body}' }],
  checkpoints: [{ checkpoint_id: 'saved', after_step: 'save' }],
}

/** Steps that do nothing. */
export const pauses = (count: number, name = 'pause'): RecipeStep[] =>
  Array.from({ length: count }, (_, at) => ({ id: `${name}_${at}`, type: 'sleep', params: { durationMs: 0 } }))

export const callStep = (stepId: string, slug: string, params: object): RecipeStep => ({
  id: stepId,
  type: 'call_ability',
  params: { ability_id: `learned.${slug}`, ...params },
})

/** Installs each recipe as the private ability `learned.<slug>` of the user `local`. */
export async function installRecipes(daemon: Daemon, recipes: Readonly<Record<string, Recipe>>): Promise<void> {
  await runCommand(daemon, (ctx) => {
    for (const [slug, recipe] of Object.entries(recipes)) {
      addInstallation(ctx, slug)
      ctx.tx.db
        .prepare('UPDATE ability_versions SET recipe = ? WHERE ability_id = ?')
        .run(JSON.stringify(recipe), `learned.${slug}`)
      ctx.tx.db.prepare("UPDATE abilities SET kind = 'runnable' WHERE ability_id = ?").run(`learned.${slug}`)
    }
    refreshAvailability(ctx, 'installed')
  })
}

export async function startRun(daemon: Daemon, slug: string, body: object, token?: string) {
  const reply = await daemon.post(`/api/abilities/learned.${slug}/run`, { wait_ms: 100_000, ...body }, token)
  return { reply, run: reply.json<{ run: AbilityRun }>().run }
}

export const readNotes = ({ system }: Daemon): { title: string; body: string }[] => {
  const notes = system.devices.phone.simulated?.state(NOTES).saved['notes'] as { title: string; body: string }[]
  return notes.map(({ title, body }) => ({ title, body }))
}

/** The notes that the phone has from the start. */
export const FIRST_NOTES = 3

export const countRows = (daemon: Daemon, table: string): number =>
  daemon.system.store.read(({ db }) => Number(db.prepare(`SELECT count(*) FROM ${table}`).pluck().get()))
