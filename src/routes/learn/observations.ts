import type { FastifyInstance } from 'fastify'
import * as contracts from '@apprentice/contracts/learn/observation.ts'
import {
  deleteCaptured,
  listCaptured,
  retainCaptured,
} from '../../domain/capture/captured-events.ts'
import { ingestEvents } from '../../domain/capture/ingest.ts'
import { observationScope } from '../../domain/capture/observation-scope.ts'
import { readOwnSession } from '../../domain/sessions/own-session.ts'
import { getOwnSession } from '../../domain/sessions/session-moves.ts'
import { mounting } from '../../http/mount.ts'
import { publicSession } from '../../store/sessions/learn-sessions.ts'
import type { System } from '../../daemon/system.ts'

export function learnObservationRoutes(app: FastifyInstance, { commands }: System): void {
  const on = mounting(app)

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
      const found = listCaptured(reader, sessionId, request.query)
      return { ...found, page, page_size, schema_version: 1 }
    }),
  )

  on(contracts.deleteObservation)((request) =>
    commands.sessionCommand(request, (ctx) => {
      deleteCaptured(ctx, request.params.sessionId, request.params.eventId)
      return { deleted: true }
    }),
  )

  on(contracts.retainObservations)((request) =>
    commands.sessionCommand(request, (ctx) => ({
      session: publicSession(retainCaptured(ctx, request.params.sessionId, request.body.retain)),
    })),
  )

  on(contracts.getObservationScope)((request) =>
    commands.sessionRead(request, (reader) =>
      observationScope(
        reader,
        readOwnSession(reader, request.params.sessionId, request.caller.user_id),
      ),
    ),
  )
}
