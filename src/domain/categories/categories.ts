import type { Category, CategoryAssignment } from '@apprentice/contracts/admin/categories.ts'
import { Failure } from '../../failure/failure.ts'
import {
  countAssignments,
  countCategories,
  deleteAssignment,
  deleteCategory as deleteCategoryRow,
  findAssignment,
  findCategory,
  findCategoryByTitle,
  insertAssignment,
  insertCategory,
  listAssignments,
  listItemAssignments,
  type StoredCategory,
  updateCategory as updateCategoryRow,
} from '../../store/categories/categories.ts'
import { appendAssignmentLog, type AssignmentLogEntry } from '../../store/categories/category-log.ts'
import type { Reader } from '../../store/db/db.ts'
import type { CommandContext } from '../command/context.ts'
import { recordEvent } from '../command/ledger.ts'

const MAX_CATEGORIES = 100
const MAX_ITEMS_PER_CATEGORY = 500
const DEFAULT_COLOR = '#6366F1'

export function createCategory(
  ctx: CommandContext,
  { title, color = DEFAULT_COLOR }: { title: string; color?: string | undefined },
): StoredCategory {
  const owner = ctx.actor.user_id
  const named = nameCategory(ctx, title)
  if (countCategories(ctx.tx, owner) >= MAX_CATEGORIES) {
    throw limitReached(`A user can have at most ${MAX_CATEGORIES} categories.`, MAX_CATEGORIES)
  }
  const category: StoredCategory = {
    category_id: ctx.newId(),
    owner_user_id: owner,
    ...named,
    color,
    created_at: ctx.now,
    updated_at: ctx.now,
    schema_version: 1,
  }
  insertCategory(ctx.tx, category)
  recordChange(ctx, category.category_id, 'created')
  return category
}

/** Undefined or equal values change nothing. */
export function updateCategory(
  ctx: CommandContext,
  categoryId: string,
  { title, color }: { title?: string | undefined; color?: string | undefined },
): StoredCategory {
  const category = getOwnCategory(ctx.tx, categoryId, ctx.actor.user_id)
  const named = title === undefined ? {} : nameCategory(ctx, title, categoryId)
  const changed = { ...category, ...named, color: color ?? category.color }
  if (changed.title === category.title && changed.color === category.color) return category
  const updated = { ...changed, updated_at: ctx.now }
  updateCategoryRow(ctx.tx, updated)
  recordChange(ctx, categoryId, 'updated')
  return updated
}

/** Returns the number of removed assignments. The items themselves are not changed. */
export function deleteCategory(ctx: CommandContext, categoryId: string): number {
  getOwnCategory(ctx.tx, categoryId, ctx.actor.user_id)
  const items = listAssignments(ctx.tx, categoryId)
  for (const item of items) removeAssignment(ctx, item)
  deleteCategoryRow(ctx.tx, categoryId)
  recordChange(ctx, categoryId, 'deleted')
  return items.length
}

type Item = Pick<CategoryAssignment, 'item_kind' | 'item_id'>

/** Returns the existing assignment if the item is in the category already. Does not check that the item exists. */
export function assignItem(ctx: CommandContext, categoryId: string, item: Item): CategoryAssignment {
  getOwnCategory(ctx.tx, categoryId, ctx.actor.user_id)
  const key = { category_id: categoryId, item_kind: item.item_kind, item_id: item.item_id }
  const existing = findAssignment(ctx.tx, key)
  if (existing !== undefined) return existing
  if (countAssignments(ctx.tx, categoryId) >= MAX_ITEMS_PER_CATEGORY) {
    throw limitReached(`A category can hold at most ${MAX_ITEMS_PER_CATEGORY} items.`, MAX_ITEMS_PER_CATEGORY)
  }
  const assignment = { ...key, assigned_at: ctx.now }
  insertAssignment(ctx.tx, assignment)
  appendAssignmentLog(ctx.tx, { op: 'add', ...key, at: ctx.now })
  recordChange(ctx, categoryId, 'assigned')
  return assignment
}

export function removeItem(ctx: CommandContext, categoryId: string, item: Item): void {
  getOwnCategory(ctx.tx, categoryId, ctx.actor.user_id)
  const key = { category_id: categoryId, item_kind: item.item_kind, item_id: item.item_id }
  if (!removeAssignment(ctx, key)) {
    throw new Failure('NOT_FOUND', 'The item is not in this category.')
  }
  recordChange(ctx, categoryId, 'removed')
}

/** Removes a deleted ability from the categories of all users. */
export const removeAbilityFromCategories = (ctx: CommandContext, abilityId: string): void =>
  removeFromCategories(ctx, ['learned_ability', 'skill'], abilityId)

/** Removes a deleted item from the categories of all users. */
export function removeFromCategories(
  ctx: CommandContext,
  kinds: readonly CategoryAssignment['item_kind'][],
  itemId: string,
): void {
  for (const item of listItemAssignments(ctx.tx, kinds, itemId)) {
    removeAssignment(ctx, item)
    recordChange(ctx, item.category_id, 'removed')
  }
}

/** Throws the same failure for an unknown id and for a category of another user. */
export function getOwnCategory(reader: Reader, categoryId: string, owner: string): StoredCategory {
  const category = findCategory(reader, categoryId)
  if (category === undefined || category.owner_user_id !== owner) {
    throw new Failure('CATEGORY_NOT_FOUND', `No category ${categoryId}.`)
  }
  return category
}

/** Without internal fields. */
export function toPublicCategory(category: StoredCategory): Category {
  const { owner_user_id: _owner, title_folded: _folded, ...fields } = category
  return fields
}

/** Normalizes a title. Throws if the user has another category whose title differs only in case or spacing. */
function nameCategory(
  ctx: CommandContext,
  given: string,
  categoryId?: string,
): Pick<StoredCategory, 'title' | 'title_folded'> {
  const title = given.normalize('NFC').trim()
  const title_folded = title.replaceAll(/\s+/g, ' ').toLowerCase()
  const other = findCategoryByTitle(ctx.tx, ctx.actor.user_id, title_folded)
  if (other !== undefined && other.category_id !== categoryId) {
    throw new Failure('INVALID_REQUEST', `title is already used by the category "${other.title}".`, {
      details: { field: 'title', category_id: other.category_id },
    })
  }
  return { title, title_folded }
}

/** Logs the removal. The caller records the event. */
function removeAssignment(
  ctx: CommandContext,
  { category_id, item_kind, item_id }: Omit<AssignmentLogEntry, 'op' | 'at'>,
): boolean {
  const key = { category_id, item_kind, item_id }
  const removed = deleteAssignment(ctx.tx, key)
  if (removed) appendAssignmentLog(ctx.tx, { op: 'remove', ...key, at: ctx.now })
  return removed
}

type Change = 'created' | 'updated' | 'deleted' | 'assigned' | 'removed'

const recordChange = (ctx: CommandContext, categoryId: string, change: Change): void =>
  recordEvent(ctx, `category/${categoryId}`, 'category.changed', {
    category_id: categoryId,
    change,
  })

const limitReached = (message: string, limit: number): Failure =>
  new Failure('CATEGORY_LIMIT_REACHED', message, { details: { limit } })
