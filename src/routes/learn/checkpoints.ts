import type { FastifyInstance } from 'fastify'
import * as contracts from '@apprentice/contracts/learn/receipts.ts'
import { recordCheckpoint } from '../../domain/sessions/checkpoints.ts'
import { readOwnSession } from '../../domain/sessions/own-session.ts'
import { mounting } from '../../http/mount.ts'
import { listCheckpointReceipts } from '../../store/abilities/checkpoint-receipts.ts'
import type { System } from '../../daemon/system.ts'

export function checkpointRoutes(app: FastifyInstance, { desk }: System): void {
  const on = mounting(app)

  on(contracts.verifyCheckpoint)((asked) =>
    desk.command(asked, (act) => ({
      receipt: recordCheckpoint(act, asked.body),
      accepted: true,
      schema_version: 1,
    })),
  )

  on(contracts.listSessionCheckpointReceipts)((asked) =>
    desk.sessionRead(asked, (reader) => {
      const { sessionId: id } = asked.params
      const { user_id } = asked.caller
      readOwnSession(reader, id, user_id)
      const found = listCheckpointReceipts(reader, user_id, {
        by: 'learn_session_id',
        id,
        ...asked.query,
      })
      return { ...found, ...asked.query, schema_version: 1 }
    }),
  )

  on(contracts.listDispatchCheckpointReceipts)(({ params, query, caller }) => {
    const found = desk.read((reader) =>
      listCheckpointReceipts(reader, caller.user_id, {
        by: 'dispatch_id',
        id: params.dispatchId,
        ...query,
      }),
    )
    return { ...found, ...query, schema_version: 1 }
  })
}
