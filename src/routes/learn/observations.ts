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

export function learnObservationRoutes(app: FastifyInstance, { desk }: System): void {
  const on = mounting(app)

  on(contracts.ingestObservations)((asked) =>
    desk.sessionCommand(asked, (act) =>
      ingestEvents(act, getOwnSession(act, asked.params.sessionId), asked.body),
    ),
  )

  on(contracts.listObservations)((asked) =>
    desk.sessionRead(asked, (reader) => {
      const { sessionId } = asked.params
      readOwnSession(reader, sessionId, asked.caller.user_id)
      const { page, page_size } = asked.query
      const found = listCaptured(reader, sessionId, asked.query)
      return { ...found, page, page_size, schema_version: 1 }
    }),
  )

  on(contracts.deleteObservation)((asked) =>
    desk.sessionCommand(asked, (act) => {
      deleteCaptured(act, asked.params.sessionId, asked.params.eventId)
      return { deleted: true }
    }),
  )

  on(contracts.retainObservations)((asked) =>
    desk.sessionCommand(asked, (act) => ({
      session: publicSession(retainCaptured(act, asked.params.sessionId, asked.body.retain)),
    })),
  )

  on(contracts.getObservationScope)((asked) =>
    desk.sessionRead(asked, (reader) =>
      observationScope(
        reader,
        readOwnSession(reader, asked.params.sessionId, asked.caller.user_id),
      ),
    ),
  )
}
