import type { FastifyInstance } from 'fastify'
import * as contracts from '@apprentice/contracts/learn/receipts.ts'
import { recordCheckpoint } from '../../domain/sessions/checkpoints.ts'
import { readOwnSession } from '../../domain/sessions/session-access.ts'
import { mountContract } from '../../http/contract-routes.ts'
import { listCheckpointReceipts } from '../../store/abilities/checkpoint-receipts.ts'
import type { System } from '../../daemon/system.ts'

export function checkpointRoutes(app: FastifyInstance, { commands }: System): void {
  const on = mountContract(app)

  on(contracts.verifyCheckpoint)((request) =>
    commands.command(request, (ctx) => ({
      receipt: recordCheckpoint(ctx, request.body),
      accepted: true,
      schema_version: 1,
    })),
  )

  on(contracts.listSessionCheckpointReceipts)((request) =>
    commands.sessionRead(request, (reader) => {
      const { sessionId: id } = request.params
      const { user_id } = request.caller
      readOwnSession(reader, id, user_id)
      const found = listCheckpointReceipts(reader, user_id, {
        by: 'learn_session_id',
        id,
        ...request.query,
      })
      return { ...found, ...request.query, schema_version: 1 }
    }),
  )

  on(contracts.listDispatchCheckpointReceipts)(({ params, query, caller }) => {
    const found = commands.read((reader) =>
      listCheckpointReceipts(reader, caller.user_id, {
        by: 'dispatch_id',
        id: params.dispatchId,
        ...query,
      }),
    )
    return { ...found, ...query, schema_version: 1 }
  })
}
