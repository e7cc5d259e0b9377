import type { FastifyInstance } from 'fastify'
import { cancelPractice, getPractice, type Practice, startPractice } from '@apprentice/contracts/learn/practice.ts'
import type { LearnSession } from '@apprentice/contracts/learn/session.ts'
import { readOwnSession } from '../../domain/sessions/session-access.ts'
import { getLatestPractice, toPractice } from '../../domain/practice/practice-record.ts'
import * as practising from '../../domain/practice/practice-start.ts'
import { Failure } from '../../failure/failure.ts'
import { mountContract } from '../../http/contract-routes.ts'
import type { Reader } from '../../store/db/db.ts'
import { toPublicSession } from '../../store/sessions/learn-sessions.ts'
import type { System } from '../../daemon/system.ts'

const CANCEL_WAIT_MS = 10_000

export function learnPracticeRoutes(app: FastifyInstance, { commands, jobs }: System): void {
  const on = mountContract(app)

  const read = (
    reader: Reader,
    sessionId: string,
    userId: string,
  ): { session: LearnSession; practice: Practice; schema_version: 1 } => ({
    session: toPublicSession(readOwnSession(reader, sessionId, userId)),
    practice: toPractice(getLatestPractice(reader, sessionId)),
    schema_version: 1,
  })
  const view = (sessionId: string, userId: string) => commands.read((reader) => read(reader, sessionId, userId))

  on(startPractice)(async (request, reply) => {
    const { wait_ms, ...options } = request.body
    const { sessionId } = request.params
    const { practice_id } = await commands.sessionCommand(request, (ctx) => {
      const started = practising.startPractice(ctx, sessionId, options)
      return { practice_id: started.practice_id }
    })
    if (wait_ms > 0) await jobs.waitUntilSettled(practice_id, wait_ms)
    const answer = view(sessionId, request.caller.user_id)
    void reply.code(answer.practice.ended_at === undefined ? 202 : 200)
    return answer
  })

  on(getPractice)((request) =>
    commands.sessionRead(request, (reader) => read(reader, request.params.sessionId, request.caller.user_id)),
  )

  on(cancelPractice)((request) =>
    commands.commandOnce(request, async () => {
      const { sessionId } = request.params
      const { user_id } = request.caller
      const { practice_id, ended_at } = view(sessionId, user_id).practice
      if (ended_at !== undefined || !(await jobs.cancel(practice_id))) {
        throw new Failure('PRACTICE_ENDED', 'The practice has already ended.')
      }
      await jobs.waitUntilSettled(practice_id, CANCEL_WAIT_MS)
      return view(sessionId, user_id)
    }),
  )
}
