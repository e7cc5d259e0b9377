import type { FastifyInstance } from 'fastify'
import { streamSessionEvents } from '@apprentice/contracts/learn/sessions.ts'
import { isTheirs } from '../../domain/sessions/session-access.ts'
import { sessionNotFound } from '../../domain/sessions/session-moves.ts'
import type { RequestContext } from '../../http/mount.ts'
import { mountStream } from '../../http/stream.ts'
import type { Source } from '../../live/hub.ts'
import { findOpenSaga } from '../../store/install/install-sagas.ts'
import { findLearnSession } from '../../store/sessions/learn-sessions.ts'
import type { System } from '../../daemon/system.ts'

export function learnStreamRoutes(app: FastifyInstance, { commands, hub, config }: System): void {
  mountStream(app, streamSessionEvents, {
    hub,
    streams_per_token: config.settings.limits.streams_per_token,
    find: (request, read) => {
      // The contract has checked the shape of the parameters.
      const session = request as RequestContext<{ sessionId: string }>
      const { sessionId } = session.params
      return commands.sessionRead(session, (reader) => {
        const found = findLearnSession(reader, sessionId)
        if (found === undefined || !isTheirs(found, request.caller.user_id)) {
          throw sessionNotFound(sessionId)
        }
        return read(reader, sessionSource(sessionId))
      })
    },
  })
}

/** Streams stay open for sessions that may still move on: installed ones and quarantined ones. */
const sessionSource = (sessionId: string): Source => ({
  subject: `learn/${sessionId}`,
  isOver: (reader) => {
    const session = findLearnSession(reader, sessionId)
    // What is approved is told of until it is also installed.
    if (session?.state === 'approved') {
      return session.ability_id === undefined || !findOpenSaga(reader, session.ability_id)
    }
    return session === undefined || session.state === 'rejected' || session.state === 'cancelled'
  },
})
