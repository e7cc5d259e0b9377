import type { Recipe } from '@apprentice/contracts/recipes/recipe.ts'
import { runCommand } from '../abilities/ability-rows.ts'
import type { Daemon } from '../kit/daemon.ts'
import { addInstallation } from '../projections/installed-rows.ts'

export const climate = 'org.apprentice.climate'
const id = (name: string) => `${climate}:id/${name}`
const row = {
  resource_id: id('unit'),
  containing: { text_equals: '${inputs.room}', annotation: 'USER_SPECIFIC' as const },
}

/** Reads the temperature of a room with four kinds of redaction. */
export const readRoom: Recipe = {
  recipe_id: `${climate}.read-room`,
  recipe_version: '1.0.0',
  recipe_type: 'flow',
  recipe_dialect: 2,
  application_id: climate,
  summary: 'Read the temperature of a room',
  frameworks: ['views'],
  session_policy: 'fresh',
  app_build: { version_name: '2.4.1', version_code: 241 },
  tested_on: { android_api: 34 },
  capabilities: ['observe', 'navigate'],
  inputs: [{ name: 'room', type: 'string', required: true }],
  outputs: [
    { name: 'degrees', type: 'number', from: 'read_number' },
    { name: 'shown', type: 'string', from: 'read_text' },
    { name: 'fingerprint', type: 'string', from: 'read_hash', redaction: 'hash' },
    { name: 'gone', type: 'string', from: 'read_drop', redaction: 'drop' },
  ],
  dismissals: [{ text_equals: 'Later', annotation: 'STRUCTURAL' }],
  steps: ['read_number', 'read_text', 'read_hash', 'read_drop'].map((step) => ({
    id: step,
    type: 'read_text',
    selector: { resource_id: id('unit_temperature') },
    container: row,
  })),
  verification: [{ id: 'there', selector: row }],
}

/** Inserts the rows of an installed ability with this recipe. Returns its id. */
export async function installRecipe(daemon: Daemon, recipe: Recipe): Promise<string> {
  const ability_id = 'learned.read-room'
  await runCommand(daemon, (ctx) => {
    addInstallation(ctx, 'read-room')
    const { db } = ctx.tx
    db.prepare('UPDATE ability_versions SET recipe = ?').run(JSON.stringify(recipe))
    db.prepare("UPDATE abilities SET usable_now = 1, reason_unusable = NULL, kind = 'runnable'").run()
  })
  return ability_id
}
