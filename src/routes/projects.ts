import type { FastifyInstance } from 'fastify'
import {
  deleteProjectBinding,
  getProjectBinding,
  listProjectBindings,
  putProjectBinding,
} from '@apprentice/contracts/projects/bindings.ts'
import type { System } from '../daemon/system.ts'
import { getBinding, putBinding, removeBinding } from '../domain/projects/bindings.ts'
import { mountContract } from '../http/contract-routes.ts'
import { listBindings } from '../store/projects/bindings.ts'

export function projectRoutes(app: FastifyInstance, { commands }: System): void {
  const on = mountContract(app)
  on(putProjectBinding)((request) =>
    commands.command(request, (ctx) => {
      const { client_request_id: _c, schema_version: _s, ...given } = request.body
      return putBinding(ctx, request.params.projectId, given)
    }),
  )
  on(listProjectBindings)(({ query: { page, page_size } }) => {
    const found = commands.read(listBindings)
    const bindings = found.slice((page - 1) * page_size, page * page_size)
    return { bindings, page, page_size, total: found.length, schema_version: 1 as const }
  })
  on(getProjectBinding)(({ params }) => commands.read((reader) => getBinding(reader, params.projectId)))
  on(deleteProjectBinding)((request) =>
    commands.command(request, (ctx) => removeBinding(ctx, request.params.projectId)),
  )
}
