import type { FastifyInstance } from 'fastify'
import * as contracts from '@apprentice/contracts/learn/observation.ts'
import { deleteCapturedEvent, listCapturedEvents, setRetention } from '../../domain/capture/captured-events.ts'
import { ingestEvents } from '../../domain/capture/ingest.ts'
import { buildObservationScope } from '../../domain/capture/observation-scope.ts'
import { readOwnSession } from '../../domain/sessions/session-access.ts'
import { getOwnSession } from '../../domain/sessions/session-moves.ts'
import { mountContract } from '../../http/contract-routes.ts'
import { toPublicSession } from '../../store/sessions/learn-sessions.ts'
import type { System } from '../../daemon/system.ts'

export function learnObservationRoutes(app: FastifyInstance, { commands }: System): void {
  const on = mountContract(app)

  on(contracts.ingestObservations)((request) =>
    commands.sessionCommand(request, (ctx) =>
      ingestEvents(ctx, getOwnSession(ctx, request.params.sessionId), request.body),
    ),
  )

  on(contracts.listObservations)((request) =>
    commands.sessionRead(request, (reader) => {
      const { sessionId } = request.params
      readOwnSession(reader, sessionId, request.caller.user_id)
      const { page, page_size } = request.query
      const found = listCapturedEvents(reader, sessionId, request.query)
      return { ...found, page, page_size, schema_version: 1 }
    }),
  )

  on(contracts.deleteObservation)((request) =>
    commands.sessionCommand(request, (ctx) => {
      deleteCapturedEvent(ctx, request.params.sessionId, request.params.eventId)
      return { deleted: true }
    }),
  )

  on(contracts.retainObservations)((request) =>
    commands.sessionCommand(request, (ctx) => ({
      session: toPublicSession(setRetention(ctx, request.params.sessionId, request.body.retain)),
    })),
  )

  on(contracts.getObservationScope)((request) =>
    commands.sessionRead(request, (reader) =>
      buildObservationScope(reader, readOwnSession(reader, request.params.sessionId, request.caller.user_id)),
    ),
  )
}
