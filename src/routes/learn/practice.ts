import type { FastifyInstance } from 'fastify'
import {
  cancelPractice,
  getPractice,
  type Practice,
  startPractice,
} from '@apprentice/contracts/learn/practice.ts'
import type { LearnSession } from '@apprentice/contracts/learn/session.ts'
import { readOwnSession } from '../../domain/sessions/own-session.ts'
import { latestPractice, publicPractice } from '../../domain/practice/practice-record.ts'
import * as practising from '../../domain/practice/start-practice.ts'
import { Failure } from '../../failure/failure.ts'
import { mounting } from '../../http/mount.ts'
import type { Reader } from '../../store/db/db.ts'
import { publicSession } from '../../store/sessions/learn-sessions.ts'
import type { System } from '../../daemon/system.ts'

const cancelWaitMs = 10_000

export function learnPracticeRoutes(app: FastifyInstance, { commands, jobs }: System): void {
  const on = mounting(app)

  const read = (
    reader: Reader,
    sessionId: string,
    userId: string,
  ): { session: LearnSession; practice: Practice; schema_version: 1 } => ({
    session: publicSession(readOwnSession(reader, sessionId, userId)),
    practice: publicPractice(latestPractice(reader, sessionId)),
    schema_version: 1,
  })
  const view = (sessionId: string, userId: string) =>
    commands.read((reader) => read(reader, sessionId, userId))

  on(startPractice)(async (asked, reply) => {
    const { wait_ms, ...request } = asked.body
    const { sessionId } = asked.params
    const { practice_id } = await commands.sessionCommand(asked, (ctx) => {
      const started = practising.startPractice(ctx, sessionId, request)
      return { practice_id: started.practice_id }
    })
    if (wait_ms > 0) await jobs.settled(practice_id, wait_ms)
    const answer = view(sessionId, asked.caller.user_id)
    void reply.code(answer.practice.ended_at === undefined ? 202 : 200)
    return answer
  })

  on(getPractice)((asked) =>
    commands.sessionRead(asked, (reader) =>
      read(reader, asked.params.sessionId, asked.caller.user_id),
    ),
  )

  on(cancelPractice)(async ({ caller, params }) => {
    const { practice } = view(params.sessionId, caller.user_id)
    const { practice_id, ended_at } = practice
    if (ended_at !== undefined || !(await jobs.cancel(practice_id))) {
      throw new Failure('PRACTICE_ENDED', 'The practice is already over.')
    }
    await jobs.settled(practice_id, cancelWaitMs)
    return view(params.sessionId, caller.user_id)
  })
}
