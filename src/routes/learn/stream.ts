import type { FastifyInstance } from 'fastify'
import { streamSessionEvents } from '@apprentice/contracts/learn/sessions.ts'
import { readOwnSession } from '../../domain/sessions/session-access.ts'
import type { RequestContext } from '../../http/contract-routes.ts'
import { mountStream } from '../../http/event-stream-routes.ts'
import { createSubjectSource } from '../../live/source.ts'
import { findOpenSaga } from '../../store/install/install-sagas.ts'
import { findLearnSession } from '../../store/sessions/learn-sessions.ts'
import type { System } from '../../daemon/system.ts'

export function learnStreamRoutes(app: FastifyInstance, { commands, hub, liveScreens, config }: System): void {
  mountStream(app, streamSessionEvents, {
    hub,
    liveScreens,
    config,
    find: (request, read) => {
      // The contract has validated the parameters.
      const session = request as RequestContext<{ sessionId: string }>
      const { sessionId } = session.params
      return commands.sessionRead(session, (reader) => {
        readOwnSession(reader, sessionId, request.caller.user_id)
        return read(reader, createSessionSource(sessionId))
      })
    },
  })
}

/** The stream of an installed or quarantined session stays open, because its state may still change. */
const createSessionSource = (sessionId: string) =>
  createSubjectSource(`learn/${sessionId}`, (reader) => {
    const session = findLearnSession(reader, sessionId)
    // An approved session still has events until its installation ends.
    if (session?.state === 'approved') {
      return session.ability_id === undefined || !findOpenSaga(reader, session.ability_id)
    }
    return session === undefined || session.state === 'rejected' || session.state === 'cancelled'
  })
