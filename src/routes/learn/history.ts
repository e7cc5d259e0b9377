import type { FastifyInstance } from 'fastify'
import { listHistory } from '@apprentice/contracts/learn/runtime.ts'
import * as history from '../../domain/learn/history.ts'
import { mountContract } from '../../http/contract-routes.ts'
import type { System } from '../../daemon/system.ts'

export function learnHistoryRoutes(app: FastifyInstance, { commands }: System): void {
  const on = mountContract(app)

  on(listHistory)(({ caller, query }) => {
    const found = commands.read((reader) => history.listHistory(reader, caller.user_id, query))
    return { ...found, page: query.page, page_size: query.page_size }
  })
}
