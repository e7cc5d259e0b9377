import type { FastifyInstance } from 'fastify'
import { listReceipts } from '@apprentice/contracts/learn/receipts.ts'
import { mountContract } from '../../http/contract-routes.ts'
import * as receipts from '../../store/command/receipts.ts'
import type { System } from '../../daemon/system.ts'

export function learnReceiptRoutes(app: FastifyInstance, { commands }: System): void {
  const on = mountContract(app)

  on(listReceipts)(({ caller, query }) => {
    const found = commands.read((reader) => receipts.listReceipts(reader, caller.user_id, query))
    return { ...found, page: query.page, page_size: query.page_size }
  })
}
