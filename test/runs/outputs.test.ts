import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { AbilityRun } from '@apprentice/contracts/abilities/runs.ts'
import type { ExecutionRecord } from '@apprentice/contracts/devices/executions.ts'
import type { Recipe } from '@apprentice/contracts/recipes/recipe.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import { climate, installRecipe, readRoom } from './an-installed-recipe.ts'

const room = 'Reception'

async function run(recipe: Recipe, body: object = {}) {
  const daemon = await startDaemon({ config: { phone: 'simulated' } })
  const ability = await installRecipe(daemon, recipe)
  const reply = await daemon.post(`/api/abilities/${ability}/run`, {
    inputs: { room },
    wait_ms: 60_000,
    ...body,
  })
  return { daemon, reply, run: reply.json<{ run: AbilityRun }>().run }
}

/** What the phone itself has. */
function temperature({ system }: Daemon): number {
  const units = system.floor.phone.simulated?.state(climate).saved['units']
  const unit = (units as { name: string; temperature: number }[]).find(({ name }) => name === room)
  if (unit === undefined) throw new Error('No such room.')
  return unit.temperature
}

test(
  'what a run reads is told as the recipe says, and kept nowhere else',
  { timeout: 90_000 },
  async () => {
    const { daemon, reply, run: ended } = await run(readRoom)
    expect(reply.statusCode, reply.body).toBe(200)
    expect(ended.state, JSON.stringify(ended.trouble)).toBe('success')

    const key = readFileSync(join(daemon.home, 'secrets', 'outputs.key'), 'utf8').trim()
    const { degrees, shown, fingerprint } = ended.outputs
    expect(degrees).toBe(temperature(daemon))
    expect(shown).toMatch(/^\*+.{2}$/)
    expect(Object.keys(ended.outputs).toSorted()).toEqual(['degrees', 'fingerprint', 'shown'])
    const { execution } = (await daemon.get(`/api/executions/${ended.execution_id}`)).json<{
      execution: ExecutionRecord
    }>()
    const read = (step: string) =>
      execution.envelope?.stepResults.find((result) => result.id === step)?.data['text']
    const open = read('read_number') ?? ''
    expect(open).toContain(String(temperature(daemon)))
    expect(fingerprint).toBe(createHmac('sha256', key).update(open).digest('hex'))
    expect([read('read_text'), read('read_hash'), read('read_drop')]).toEqual([
      shown,
      fingerprint,
      undefined,
    ])

    // Only where the recipe lets it be read openly.
    const { outputs } = { ...readRoom, outputs: readRoom.outputs.slice(1) }
    const strict = await run({ ...readRoom, outputs, steps: readRoom.steps.slice(1) })
    expect(strict.run.state).toBe('success')
    const kept = strict.daemon.system.store.read(({ db }) =>
      ['executions', 'jobs', 'events', 'ability_runs', 'traces', 'use_receipts']
        .flatMap((table) => db.prepare(`SELECT * FROM ${table}`).all())
        .map((row) => JSON.stringify(row))
        .filter((row) => row.includes(open)),
    )
    expect(kept).toEqual([])
  },
)

test('a step that took another way is told as drift', { timeout: 60_000 }, async () => {
  const [first, ...rest] = readRoom.steps
  if (first === undefined) throw new Error('no step')
  const moved = {
    ...first,
    selector: { resource_id: `${climate}:id/moved_away` },
    fallbacks: [{ resource_id: `${climate}:id/unit_temperature` }],
  }
  const { run: ended } = await run({ ...readRoom, steps: [moved, ...rest] })
  expect(ended).toMatchObject({
    state: 'success',
    used_fallbacks: ['read_number'],
    drift: [{ step_id: 'read_number', used_fallback: 1 }],
  })
})

test.each([
  [{ min_version_code: 200, max_version_code: 300 }, 'in_range'],
  [{ max_version_code: 240 }, 'out_of_range'],
])(
  'an app of a version that is %j is told to be %s',
  { timeout: 60_000 },
  async (compatibility, compat) => {
    const { run: ended } = await run({ ...readRoom, compatibility })
    expect(ended).toMatchObject({ state: 'success', compat })
  },
)

test(
  'who insists on a fitting version is refused before anything is done',
  { timeout: 60_000 },
  async () => {
    const compatibility = { max_version_code: 240 }
    const { daemon, reply } = await run({ ...readRoom, compatibility }, { strict_compat: true })
    expect(reply.json()).toMatchObject({
      error: {
        code: 'RECIPE_COMPAT_OUT_OF_RANGE',
        details: { compat: 'out_of_range', version_code: 241, compatibility },
      },
    })
    expect(daemon.events().map(({ kind }) => kind)).not.toContain('execution.queued')
  },
)

test(
  'a recipe that names no versions is run whatever the app is',
  { timeout: 60_000 },
  async () => {
    const { run: ended } = await run(readRoom, { strict_compat: true })
    expect(ended.state).toBe('success')
    expect(ended).not.toHaveProperty('compat')
  },
)
