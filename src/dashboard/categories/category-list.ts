import {
  assignCategory,
  type Category,
  listCategories,
  removeCategoryItem,
} from '@apprentice/contracts/admin/categories.ts'
import { call } from '../api/client.ts'
import { type Resource, useResource } from '../api/resource.ts'

/** The kind under which the catalog looks up the categories of abilities. */
const ITEM_KIND = 'learned_ability'

export const useCategories = (): Resource<{ readonly categories: readonly Category[] }> =>
  useResource('categories', () => call(listCategories), { changesWith: ['category.'] })

/** Puts an ability into a category, or takes it out. */
export function toggleCategory(categoryId: string, abilityId: string, isIn: boolean): Promise<unknown> {
  return isIn
    ? call(removeCategoryItem, { params: { categoryId, itemKind: ITEM_KIND, itemId: abilityId } })
    : call(assignCategory, { params: { categoryId }, body: { item_kind: ITEM_KIND, item_id: abilityId } })
}
