import { z } from 'zod'
import { DateTime, requestBody, SchemaVersion, text, Uuid } from '../base/fields.ts'
import { route } from '../base/route.ts'

export const Category = z
  .object({
    category_id: Uuid,
    title: z.string().max(80),
    color: z.string().regex(/^#[0-9a-fA-F]{6}$/),
    created_at: DateTime,
    updated_at: DateTime,
    schema_version: SchemaVersion,
  })
  .meta({ id: 'Category' })
export type Category = z.infer<typeof Category>

export const ItemKind = z.enum([
  'task_template',
  'automation',
  'skill',
  'bundle',
  'connector',
  'proposal',
  'learned_ability',
])
export type CategoryItemKind = z.infer<typeof ItemKind>

export const CategoryAssignment = z
  .object({
    category_id: Uuid,
    item_kind: ItemKind,
    item_id: z.string().max(160),
    assigned_at: DateTime,
  })
  .meta({ id: 'CategoryAssignment' })
export type CategoryAssignment = z.infer<typeof CategoryAssignment>

const TAG = 'categories'
const params = z.object({ categoryId: Uuid })

export const listCategories = route({
  method: 'GET',
  url: '/api/categories',
  tag: TAG,
  summary: "List the user's categories, all or those of one item",
  privilege: 'read',
  query: z
    .object({ item_kind: ItemKind.optional(), item_id: z.string().min(1).max(160).optional() })
    .refine(({ item_kind, item_id }) => (item_kind === undefined) === (item_id === undefined), {
      path: ['item_id'],
      error: 'and item_kind must be given together',
    }),
  reply: z.object({ categories: z.array(Category), schema_version: SchemaVersion }),
})

export const createCategory = route({
  method: 'POST',
  url: '/api/categories',
  tag: TAG,
  summary: 'Create a category',
  privilege: 'write',
  body: requestBody({ title: text(80), color: Category.shape.color.optional() }),
  reply: Category,
  status: 201,
  fails: ['CATEGORY_LIMIT_REACHED'],
})

export const updateCategory = route({
  method: 'PUT',
  url: '/api/categories/:categoryId',
  tag: TAG,
  summary: 'Rename or recolour a category',
  privilege: 'write',
  params,
  body: requestBody({ title: text(80).optional(), color: Category.shape.color.optional() }),
  reply: Category,
  fails: ['CATEGORY_NOT_FOUND'],
})

export const deleteCategory = route({
  method: 'DELETE',
  url: '/api/categories/:categoryId',
  tag: TAG,
  summary: 'Remove a category and its assignments',
  privilege: 'write',
  params,
  reply: z.object({ deleted: z.literal(true), removed_assignments: z.int().min(0) }),
  fails: ['CATEGORY_NOT_FOUND'],
})

export const assignCategory = route({
  method: 'POST',
  url: '/api/categories/:categoryId/assign',
  tag: TAG,
  summary: 'Add an item to a category; idempotent',
  privilege: 'write',
  params,
  body: requestBody({ item_kind: ItemKind, item_id: text(160) }),
  reply: CategoryAssignment,
  fails: ['CATEGORY_NOT_FOUND', 'CATEGORY_LIMIT_REACHED'],
})

export const removeCategoryItem = route({
  method: 'DELETE',
  url: '/api/categories/:categoryId/items/:itemKind/:itemId',
  tag: TAG,
  summary: 'Remove an item from a category',
  privilege: 'write',
  params: params.extend({ itemKind: ItemKind, itemId: z.string().min(1).max(160) }),
  reply: z.object({ deleted: z.literal(true) }),
  fails: ['CATEGORY_NOT_FOUND', 'NOT_FOUND'],
})

export const listCategoryItems = route({
  method: 'GET',
  url: '/api/categories/:categoryId/items',
  tag: TAG,
  summary: 'List the items of a category',
  privilege: 'read',
  params,
  reply: z.object({ items: z.array(CategoryAssignment), schema_version: SchemaVersion }),
  fails: ['CATEGORY_NOT_FOUND'],
})
