import type { FastifyInstance } from 'fastify'
import {
  assignCategory,
  createCategory,
  deleteCategory,
  listCategories,
  listCategoryItems,
  removeCategoryItem,
  updateCategory,
} from '@apprentice/contracts/admin/categories.ts'
import * as categories from '../domain/categories/categories.ts'
import { mounting } from '../http/mount.ts'
import * as store from '../store/categories/categories.ts'
import type { System } from '../daemon/system.ts'

export function categoryRoutes(app: FastifyInstance, { desk }: System): void {
  const on = mounting(app)

  on(listCategories)(({ caller }) => {
    const found = desk.read((reader) => store.listCategories(reader, caller.user_id))
    return { categories: found.map(categories.publicCategory), schema_version: 1 }
  })

  on(createCategory)((asked) =>
    desk.command(asked, (act) =>
      categories.publicCategory(categories.createCategory(act, asked.body)),
    ),
  )

  on(updateCategory)((asked) =>
    desk.command(asked, (act) =>
      categories.publicCategory(
        categories.updateCategory(act, asked.params.categoryId, asked.body),
      ),
    ),
  )

  on(deleteCategory)((asked) =>
    desk.command(asked, (act) => ({
      deleted: true as const,
      removed_assignments: categories.deleteCategory(act, asked.params.categoryId),
    })),
  )

  on(assignCategory)((asked) =>
    desk.command(asked, (act) => categories.assignItem(act, asked.params.categoryId, asked.body)),
  )

  on(removeCategoryItem)((asked) =>
    desk.command(asked, (act) => {
      const { categoryId, itemKind, itemId } = asked.params
      categories.removeItem(act, categoryId, { item_kind: itemKind, item_id: itemId })
      return { deleted: true as const }
    }),
  )

  on(listCategoryItems)(({ params, caller }) => {
    const items = desk.read((reader) => {
      categories.getOwnCategory(reader, params.categoryId, caller.user_id)
      return store.listAssignments(reader, params.categoryId)
    })
    return { items, schema_version: 1 }
  })
}
