import type { FastifyInstance } from 'fastify'
import * as contracts from '@apprentice/contracts/learn/elements.ts'
import { addElementMark, assertCanPoint, removeElementMark } from '../../domain/capture/element-marks.ts'
import { readOwnSession } from '../../domain/sessions/session-access.ts'
import { mountContract } from '../../http/contract-routes.ts'
import { listElementMarks } from '../../store/capture/element-marks.ts'
import type { System } from '../../daemon/system.ts'

export function learnMarkRoutes(app: FastifyInstance, { commands, demonstrations, settledLooks }: System): void {
  const on = mountContract(app)

  on(contracts.markElement)(async (request) => {
    const { sessionId } = request.params
    const { user_id } = request.caller
    const { element } = request.body
    if (commands.findFirstReply(request) === undefined) {
      await commands.sessionRead(request, (reader) => assertCanPoint(reader, sessionId, user_id, element))
      if (element.screen === 'now') await settledLooks.readNow(sessionId, user_id)
    }
    const capture = await demonstrations.readCapture(sessionId, user_id)
    return commands.sessionCommand(request, (ctx) => ({
      mark: addElementMark(ctx, sessionId, { sent: request.body, capture }),
      schema_version: 1 as const,
    }))
  })

  on(contracts.listElementMarks)((request) =>
    commands.sessionRead(request, (reader) => {
      const { sessionId } = request.params
      readOwnSession(reader, sessionId, request.caller.user_id)
      return { marks: listElementMarks(reader, sessionId), schema_version: 1 as const }
    }),
  )

  on(contracts.deleteElementMark)((request) =>
    commands.sessionCommand(request, (ctx) => {
      removeElementMark(ctx, request.params.sessionId, request.params.markId)
      return { deleted: true as const }
    }),
  )
}
