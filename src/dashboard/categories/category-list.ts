import {
  assignCategory,
  type Category,
  type CategoryItemKind,
  listCategories,
  removeCategoryItem,
} from '@apprentice/contracts/admin/categories.ts'
import { call } from '../api/client.ts'
import { type Resource, useResource } from '../api/resource.ts'

export const useCategories = (): Resource<{ readonly categories: readonly Category[] }> =>
  useResource('categories', () => call(listCategories, { query: {} }), { changesWith: ['category.'] })

/** Puts an item into a category, or takes it out. */
export function toggleCategory(categoryId: string, { kind, id }: ItemName, isIn: boolean): Promise<unknown> {
  return isIn
    ? call(removeCategoryItem, { params: { categoryId, itemKind: kind, itemId: id } })
    : call(assignCategory, { params: { categoryId }, body: { item_kind: kind, item_id: id } })
}

interface ItemName {
  readonly kind: CategoryItemKind
  readonly id: string
}
