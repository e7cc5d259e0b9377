import { randomBytes } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { dismissFollowUp, listFollowUps, repairFollowUp } from '@apprentice/contracts/learn/follow-ups.ts'
import * as contracts from '@apprentice/contracts/learn/receipts.ts'
import { recordCheckpoint } from '../../domain/sessions/checkpoints.ts'
import * as followUps from '../../domain/sessions/follow-ups.ts'
import { readOwnSession } from '../../domain/sessions/session-access.ts'
import { mountContract } from '../../http/contract-routes.ts'
import { listCheckpointReceipts } from '../../store/abilities/checkpoint-receipts.ts'
import * as store from '../../store/command/follow-ups.ts'
import { toPublicSession } from '../../store/sessions/learn-sessions.ts'
import type { System } from '../../daemon/system.ts'

export function checkpointRoutes(app: FastifyInstance, { commands, config }: System): void {
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

  on(listFollowUps)(({ query, caller }) => {
    const { rows, total } = commands.read((reader) => store.listFollowUps(reader, caller.user_id, query))
    const { page, page_size } = query
    return { follow_ups: rows.map(followUps.toFollowUp), total, page, page_size, schema_version: 1 }
  })

  on(repairFollowUp)((request) =>
    commands.command(request, (ctx) => {
      const rules = { rule: config.settings.learn.concurrency, salt: randomBytes(16).toString('hex') }
      const { session, follow_ups } = followUps.startRepair(ctx, request.params.followUpId, rules)
      return { session: toPublicSession(session), follow_ups, schema_version: 1 as const }
    }),
  )

  on(dismissFollowUp)((request) =>
    commands.command(request, (ctx) => followUps.dismissFollowUp(ctx, request.params.followUpId, request.body.note)),
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
