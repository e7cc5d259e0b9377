import type { FastifyInstance } from 'fastify'
import * as contracts from '@apprentice/contracts/learn/coaching.ts'
import { coachSession } from '../../domain/capture/coaching.ts'
import { readOwnSession } from '../../domain/sessions/own-session.ts'
import { mounting } from '../../http/mount.ts'
import { listCoachingNotes } from '../../store/capture/coaching-notes.ts'
import type { System } from '../../daemon/system.ts'

export function learnCoachingRoutes(app: FastifyInstance, { commands }: System): void {
  const on = mounting(app)

  on(contracts.coachSession)((request) =>
    commands.sessionCommand(request, (ctx) => ({
      note: coachSession(ctx, request.params.sessionId, request.body),
      schema_version: 1 as const,
    })),
  )

  on(contracts.listCoaching)((request) =>
    commands.sessionRead(request, (reader) => {
      const { sessionId } = request.params
      readOwnSession(reader, sessionId, request.caller.user_id)
      return { notes: listCoachingNotes(reader, sessionId), schema_version: 1 as const }
    }),
  )
}
