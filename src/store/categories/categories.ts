import type { CategoryAssignment } from '@apprentice/contracts/admin/categories.ts'
import { text } from '../db/columns.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { readNumber } from '../db/queries.ts'
import { defineTable, type RowOf } from '../db/table.ts'

export const categories = defineTable(
  'categories',
  {
    category_id: text(),
    owner_user_id: text().immutable(),
    title: text(),
    /** The title in the form in which titles are compared. */
    title_folded: text(),
    color: text(),
    created_at: text().immutable(),
    updated_at: text(),
  },
  { key: ['category_id'], constants: { schema_version: 1 } },
)

export const categoryAssignments = defineTable(
  'category_assignments',
  {
    category_id: text(),
    item_kind: text<CategoryAssignment['item_kind']>(),
    item_id: text(),
    assigned_at: text(),
  },
  { key: ['category_id', 'item_kind', 'item_id'] },
)

export type StoredCategory = RowOf<typeof categories>

export function listCategories(reader: Reader, owner: string): StoredCategory[] {
  return sql(reader, 'SELECT * FROM categories WHERE owner_user_id = ? ORDER BY title_folded, category_id')
    .all(owner)
    .map(categories.decode)
}

/** The categories of every user. */
export function listAllCategories(reader: Reader): StoredCategory[] {
  return sql(reader, 'SELECT * FROM categories ORDER BY created_at, category_id').all().map(categories.decode)
}

export function findCategory(reader: Reader, categoryId: string): StoredCategory | undefined {
  return categories.find(reader, categoryId)
}

export function findCategoryByTitle(reader: Reader, owner: string, titleFolded: string): StoredCategory | undefined {
  const row = sql(reader, 'SELECT * FROM categories WHERE owner_user_id = ? AND title_folded = ?').get(
    owner,
    titleFolded,
  )
  return categories.decodeOptional(row)
}

export function countCategories(reader: Reader, owner: string): number {
  return readNumber(reader, 'SELECT count(*) FROM categories WHERE owner_user_id = ?', owner)
}

export function insertCategory(tx: Tx, category: StoredCategory): void {
  categories.insert(tx, category)
}

export function updateCategory(tx: Tx, category: StoredCategory): void {
  categories.update(tx, category)
}

export function deleteCategory(tx: Tx, categoryId: string): void {
  sql(tx, 'DELETE FROM categories WHERE category_id = ?').run(categoryId)
}

type ItemKey = Pick<CategoryAssignment, 'category_id' | 'item_kind' | 'item_id'>

export function listAssignments(reader: Reader, categoryId: string): CategoryAssignment[] {
  return sql(
    reader,
    `SELECT * FROM category_assignments WHERE category_id = ?
      ORDER BY assigned_at, item_kind, item_id`,
  )
    .all(categoryId)
    .map(categoryAssignments.decode)
}

export function findAssignment(
  reader: Reader,
  { category_id, item_kind, item_id }: ItemKey,
): CategoryAssignment | undefined {
  return categoryAssignments.find(reader, category_id, item_kind, item_id)
}

export function countAssignments(reader: Reader, categoryId: string): number {
  return readNumber(reader, 'SELECT count(*) FROM category_assignments WHERE category_id = ?', categoryId)
}

export function insertAssignment(tx: Tx, assignment: CategoryAssignment): void {
  categoryAssignments.insert(tx, assignment)
}

/** Returns false if the item was not in the category. */
export function deleteAssignment(tx: Tx, { category_id, item_kind, item_id }: ItemKey): boolean {
  const { changes } = sql(
    tx,
    'DELETE FROM category_assignments WHERE category_id = ? AND item_kind = ? AND item_id = ?',
  ).run(category_id, item_kind, item_id)
  return changes === 1
}

const assignmentKey = categoryAssignments.only('category_id', 'item_kind', 'item_id')

/** The assignments of an item to categories of any user. The item may be known under several kinds. */
export function listItemAssignments(
  reader: Reader,
  kinds: readonly CategoryAssignment['item_kind'][],
  itemId: string,
): Pick<CategoryAssignment, 'category_id' | 'item_kind' | 'item_id'>[] {
  return sql(
    reader,
    `SELECT ${assignmentKey.select} FROM category_assignments
      WHERE item_kind IN (SELECT value FROM json_each(?)) AND item_id = ?`,
  )
    .all(JSON.stringify(kinds), itemId)
    .map(assignmentKey.decode)
}
