import { categoryAssignments } from '../categories/categories.ts'
import { type Reader, sql } from '../db/db.ts'

const itemInCategory = categoryAssignments.only('item_id', 'category_id')

/** The category ids of each ability; of one user's categories or, without `owner`, of all. */
export function listAbilityCategories(reader: Reader, owner?: string): Map<string, string[]> {
  const rows = sql(
    reader,
    `SELECT ${itemInCategory.select} FROM category_assignments JOIN categories USING (category_id)
      WHERE item_kind IN ('learned_ability', 'skill') AND (@owner IS NULL OR owner_user_id = @owner)
      GROUP BY item_id, category_id ORDER BY item_id, category_id`,
  ).all({ owner: owner ?? null })
  const found = new Map<string, string[]>()
  for (const { item_id, category_id } of rows.map(itemInCategory.decode)) {
    const categories = found.get(item_id)
    if (categories === undefined) found.set(item_id, [category_id])
    else categories.push(category_id)
  }
  return found
}
