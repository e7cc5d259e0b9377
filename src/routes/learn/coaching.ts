import type { FastifyInstance } from 'fastify'
import * as contracts from '@apprentice/contracts/learn/coaching.ts'
import { coachSession } from '../../domain/capture/coaching.ts'
import { readOwnSession } from '../../domain/sessions/own-session.ts'
import { mounting } from '../../http/mount.ts'
import { listCoachingNotes } from '../../store/capture/coaching-notes.ts'
import type { System } from '../../daemon/system.ts'

export function learnCoachingRoutes(app: FastifyInstance, { desk }: System): void {
  const on = mounting(app)

  on(contracts.coachSession)((asked) =>
    desk.sessionCommand(asked, (act) => ({
      note: coachSession(act, asked.params.sessionId, asked.body),
      schema_version: 1 as const,
    })),
  )

  on(contracts.listCoaching)((asked) =>
    desk.sessionRead(asked, (reader) => {
      const { sessionId } = asked.params
      readOwnSession(reader, sessionId, asked.caller.user_id)
      return { notes: listCoachingNotes(reader, sessionId), schema_version: 1 as const }
    }),
  )
}
