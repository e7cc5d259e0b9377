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
  type StoredCategory,
  updateCategory as updateCategoryRow,
} from '../../store/categories/categories.ts'
import { listAssignmentsOfAbility } from '../../store/abilities/abilities-categories.ts'
import {
  appendAssignmentLog,
  type AssignmentLogEntry,
} from '../../store/categories/category-log.ts'
import type { Reader } from '../../store/db/db.ts'
import type { CommandContext } from '../command/context.ts'
import { recordEvent } from '../command/ledger.ts'

const categoryLimit = 100
const itemLimit = 500
const defaultColor = '#6366F1'

export function createCategory(
  ctx: CommandContext,
  { title, color = defaultColor }: { title: string; color?: string | undefined },
): StoredCategory {
  const owner = ctx.actor.user_id
  const named = nameCategory(ctx, title)
  if (countCategories(ctx.tx, owner) >= categoryLimit) {
    throw limitReached(`A user may have ${categoryLimit} categories.`, categoryLimit)
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

/** What is the same as before, or not said, changes nothing. */
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

/** Returns how many items were in it; the items themselves are not touched. */
export function deleteCategory(ctx: CommandContext, categoryId: string): number {
  getOwnCategory(ctx.tx, categoryId, ctx.actor.user_id)
  const items = listAssignments(ctx.tx, categoryId)
  for (const item of items) removeAssignment(ctx, item)
  deleteCategoryRow(ctx.tx, categoryId)
  recordChange(ctx, categoryId, 'deleted')
  return items.length
}

type Item = Pick<CategoryAssignment, 'item_kind' | 'item_id'>

/** An item that is already there stays as it was. Items belong to others, so they are taken by name. */
export function assignItem(
  ctx: CommandContext,
  categoryId: string,
  item: Item,
): CategoryAssignment {
  getOwnCategory(ctx.tx, categoryId, ctx.actor.user_id)
  const key = { category_id: categoryId, item_kind: item.item_kind, item_id: item.item_id }
  const standing = findAssignment(ctx.tx, key)
  if (standing !== undefined) return standing
  if (countAssignments(ctx.tx, categoryId) >= itemLimit) {
    throw limitReached(`A category may hold ${itemLimit} items.`, itemLimit)
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

/** An ability that is gone leaves every category, whoever's it is. */
export function forgetAbility(ctx: CommandContext, abilityId: string): void {
  for (const item of listAssignmentsOfAbility(ctx.tx, abilityId)) {
    removeAssignment(ctx, item)
    recordChange(ctx, item.category_id, 'removed')
  }
}

/** The caller's category, or the same answer an unknown id gets. */
export function getOwnCategory(reader: Reader, categoryId: string, owner: string): StoredCategory {
  const category = findCategory(reader, categoryId)
  if (category === undefined || category.owner_user_id !== owner) {
    throw new Failure('CATEGORY_NOT_FOUND', `No category ${categoryId}.`)
  }
  return category
}

/** The part a client may know. */
export function publicCategory(category: StoredCategory): Category {
  const { owner_user_id: _owner, title_folded: _folded, ...fields } = category
  return fields
}

/** A title must differ from the user's others by more than case or spacing. */
function nameCategory(
  ctx: CommandContext,
  given: string,
  categoryId?: string,
): Pick<StoredCategory, 'title' | 'title_folded'> {
  const title = given.normalize('NFC').trim()
  const title_folded = title.replaceAll(/\s+/g, ' ').toLowerCase()
  const other = findCategoryByTitle(ctx.tx, ctx.actor.user_id, title_folded)
  if (other !== undefined && other.category_id !== categoryId) {
    throw new Failure('INVALID_REQUEST', `title: there is already a category "${other.title}".`, {
      details: { field: 'title', category_id: other.category_id },
    })
  }
  return { title, title_folded }
}

/** The removal is logged with the item; the caller tells the event. */
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
