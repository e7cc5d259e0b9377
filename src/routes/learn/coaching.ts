import type { FastifyInstance } from 'fastify'
import * as contracts from '@apprentice/contracts/learn/coaching.ts'
import { addCoachingNote } from '../../domain/capture/coaching.ts'
import { readOwnSession } from '../../domain/sessions/session-access.ts'
import { mountContract } from '../../http/contract-routes.ts'
import { listCoachingNotes } from '../../store/capture/coaching-notes.ts'
import type { System } from '../../daemon/system.ts'

export function learnCoachingRoutes(app: FastifyInstance, { commands }: System): void {
  const on = mountContract(app)

  on(contracts.coachSession)((request) =>
    commands.sessionCommand(request, (ctx) => ({
      note: addCoachingNote(ctx, request.params.sessionId, request.body),
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
