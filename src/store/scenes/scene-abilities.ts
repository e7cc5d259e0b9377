import type { RecipeInput } from '@apprentice/contracts/recipes/recipe.ts'
import { json, text } from '../db/columns.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { defineTable, type RowOf } from '../db/table.ts'

/** Scenes that are abilities, as their packages were read last. */
export const sceneAbilities = defineTable(
  'scene_abilities',
  {
    ability_id: text(),
    scene_id: text(),
    digest: text(),
    inputs: json<readonly RecipeInput[]>(),
    problem: text().optional(),
  },
  { key: ['ability_id'] },
)

export type SceneAbilityRow = RowOf<typeof sceneAbilities>

export function findSceneAbility(reader: Reader, abilityId: string): SceneAbilityRow | undefined {
  return sceneAbilities.find(reader, abilityId)
}

export function listSceneAbilities(reader: Reader): SceneAbilityRow[] {
  return sql(reader, 'SELECT * FROM scene_abilities ORDER BY ability_id').all().map(sceneAbilities.decode)
}

export function storeSceneAbility(tx: Tx, row: SceneAbilityRow): void {
  if (!sceneAbilities.update(tx, row)) sceneAbilities.insert(tx, row)
}

export function deleteSceneAbility(tx: Tx, abilityId: string): void {
  sql(tx, 'DELETE FROM scene_abilities WHERE ability_id = ?').run(abilityId)
}
