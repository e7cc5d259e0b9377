import type { Recipe } from '@apprentice/contracts/recipes/recipe.ts'
import { runCommand } from '../abilities/an-ability.ts'
import type { Daemon } from '../kit/daemon.ts'
import { installRows } from '../projections/installed-rows.ts'

export const climate = 'org.apprentice.climate'
const id = (name: string) => `${climate}:id/${name}`
const row = {
  resource_id: id('unit'),
  containing: { text_equals: '${inputs.room}', annotation: 'USER_SPECIFIC' as const },
}

/** Reads the temperature of a room in three ways. */
export const readRoom: Recipe = {
  recipe_id: `${climate}.read-room`,
  recipe_version: '1.0.0',
  recipe_type: 'flow',
  recipe_dialect: 2,
  application_id: climate,
  summary: 'Read how warm a room is to be',
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

/** Puts an ability with this recipe on record, as an installation would. Returns its id. */
export async function installRecipe(daemon: Daemon, recipe: Recipe): Promise<string> {
  const ability_id = 'learned.read-room'
  await runCommand(daemon, (marks) => {
    installRows(marks, 'read-room')
    const { db } = marks.tx
    db.prepare('UPDATE ability_versions SET recipe = ?').run(JSON.stringify(recipe))
    db.prepare('UPDATE abilities SET usable_now = 1, reason_unusable = NULL').run()
  })
  return ability_id
}
