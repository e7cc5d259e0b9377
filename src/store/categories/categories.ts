import type { Category, CategoryAssignment } from '@apprentice/contracts/admin/categories.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { insertInto, type Row } from '../db/row.ts'

export interface StoredCategory extends Category {
  readonly owner_user_id: string
  /** The title as compared: one spelling for every way to write it. */
  readonly title_folded: string
}

const columns = [
  'category_id',
  'owner_user_id',
  'title',
  'title_folded',
  'color',
  'created_at',
  'updated_at',
] as const

export function listCategories(reader: Reader, owner: string): StoredCategory[] {
  return sql(
    reader,
    'SELECT * FROM categories WHERE owner_user_id = ? ORDER BY title_folded, category_id',
  )
    .all(owner)
    .map(toCategory)
}

/** The categories of every user. */
export function listAllCategories(reader: Reader): StoredCategory[] {
  return sql(reader, 'SELECT * FROM categories ORDER BY created_at, category_id')
    .all()
    .map(toCategory)
}

export function findCategory(reader: Reader, categoryId: string): StoredCategory | undefined {
  const row = sql(reader, 'SELECT * FROM categories WHERE category_id = ?').get(categoryId)
  return row === undefined ? undefined : toCategory(row)
}

export function findCategoryByTitle(
  reader: Reader,
  owner: string,
  titleFolded: string,
): StoredCategory | undefined {
  const row = sql(
    reader,
    'SELECT * FROM categories WHERE owner_user_id = ? AND title_folded = ?',
  ).get(owner, titleFolded)
  return row === undefined ? undefined : toCategory(row)
}

export function countCategories(reader: Reader, owner: string): number {
  const row = sql(reader, 'SELECT count(*) AS n FROM categories WHERE owner_user_id = ?').get(owner)
  return (row as { n: number }).n
}

export function insertCategory(tx: Tx, { schema_version: _, ...category }: StoredCategory): void {
  sql(tx, insertInto('categories', columns)).run(category)
}

export function updateCategory(tx: Tx, { schema_version: _, ...category }: StoredCategory): void {
  sql(
    tx,
    `UPDATE categories SET title = @title, title_folded = @title_folded, color = @color,
       updated_at = @updated_at WHERE category_id = @category_id`,
  ).run(category)
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
  ).all(categoryId) as CategoryAssignment[]
}

export function findAssignment(reader: Reader, key: ItemKey): CategoryAssignment | undefined {
  return sql(
    reader,
    `SELECT * FROM category_assignments
      WHERE category_id = @category_id AND item_kind = @item_kind AND item_id = @item_id`,
  ).get(key) as CategoryAssignment | undefined
}

export function countAssignments(reader: Reader, categoryId: string): number {
  const row = sql(
    reader,
    'SELECT count(*) AS n FROM category_assignments WHERE category_id = ?',
  ).get(categoryId)
  return (row as { n: number }).n
}

export function insertAssignment(tx: Tx, assignment: CategoryAssignment): void {
  sql(
    tx,
    insertInto('category_assignments', ['category_id', 'item_kind', 'item_id', 'assigned_at']),
  ).run(assignment)
}

/** False when the item was not there. */
export function deleteAssignment(tx: Tx, key: ItemKey): boolean {
  const { changes } = sql(
    tx,
    `DELETE FROM category_assignments
      WHERE category_id = @category_id AND item_kind = @item_kind AND item_id = @item_id`,
  ).run(key)
  return changes === 1
}

function toCategory(row: unknown): StoredCategory {
  return { ...(row as Row), schema_version: 1 } as unknown as StoredCategory
}
