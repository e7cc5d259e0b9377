import type { CategoryAssignment } from '@apprentice/contracts/admin/categories.ts'
import { type Reader, sql } from '../db/db.ts'

/** The categories abilities are in, by ability; of one user or, without one, of all. */
export function listAbilityCategories(reader: Reader, owner?: string): Map<string, string[]> {
  const rows = sql(
    reader,
    `SELECT item_id, category_id FROM category_assignments JOIN categories USING (category_id)
      WHERE item_kind IN ('learned_ability', 'skill') AND (@owner IS NULL OR owner_user_id = @owner)
      GROUP BY item_id, category_id ORDER BY item_id, category_id`,
  ).all({ owner: owner ?? null }) as { item_id: string; category_id: string }[]
  const found = new Map<string, string[]>()
  for (const { item_id, category_id } of rows) {
    const among = found.get(item_id)
    if (among === undefined) found.set(item_id, [category_id])
    else among.push(category_id)
  }
  return found
}

/** Where an ability is sorted in, by anybody. */
export function listAssignmentsOfAbility(
  reader: Reader,
  abilityId: string,
): Pick<CategoryAssignment, 'category_id' | 'item_kind' | 'item_id'>[] {
  return sql(
    reader,
    `SELECT category_id, item_kind, item_id FROM category_assignments
      WHERE item_kind IN ('learned_ability', 'skill') AND item_id = ?`,
  ).all(abilityId) as Pick<CategoryAssignment, 'category_id' | 'item_kind' | 'item_id'>[]
}
