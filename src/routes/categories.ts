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
import { mountContract } from '../http/contract-routes.ts'
import * as store from '../store/categories/categories.ts'
import type { System } from '../daemon/system.ts'

export function categoryRoutes(app: FastifyInstance, { commands }: System): void {
  const on = mountContract(app)

  on(listCategories)(({ caller, query: { item_kind, item_id } }) => {
    const found = commands.read((reader) =>
      store.listCategories(reader, caller.user_id).filter(({ category_id }) => {
        if (item_kind === undefined || item_id === undefined) return true
        return store.findAssignment(reader, { category_id, item_kind, item_id }) !== undefined
      }),
    )
    return { categories: found.map(categories.toPublicCategory), schema_version: 1 }
  })

  on(createCategory)((request) =>
    commands.command(request, (ctx) => categories.toPublicCategory(categories.createCategory(ctx, request.body))),
  )

  on(updateCategory)((request) =>
    commands.command(request, (ctx) =>
      categories.toPublicCategory(categories.updateCategory(ctx, request.params.categoryId, request.body)),
    ),
  )

  on(deleteCategory)((request) =>
    commands.command(request, (ctx) => ({
      deleted: true as const,
      removed_assignments: categories.deleteCategory(ctx, request.params.categoryId),
    })),
  )

  on(assignCategory)((request) =>
    commands.command(request, (ctx) => categories.assignItem(ctx, request.params.categoryId, request.body)),
  )

  on(removeCategoryItem)((request) =>
    commands.command(request, (ctx) => {
      const { categoryId, itemKind, itemId } = request.params
      categories.removeItem(ctx, categoryId, { item_kind: itemKind, item_id: itemId })
      return { deleted: true as const }
    }),
  )

  on(listCategoryItems)(({ params, caller }) => {
    const items = commands.read((reader) => {
      categories.getOwnCategory(reader, params.categoryId, caller.user_id)
      return store.listAssignments(reader, params.categoryId)
    })
    return { items, schema_version: 1 }
  })
}
