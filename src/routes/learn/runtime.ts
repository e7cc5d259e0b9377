import type { FastifyInstance } from 'fastify'
import { getCurrentRuntime, getSessionDetail } from '@apprentice/contracts/learn/runtime.ts'
import { findCurrentSession, runtimeSnapshot } from '../../domain/learn/runtime-snapshot.ts'
import { sessionDetail } from '../../domain/learn/session-detail.ts'
import { Failure } from '../../failure/failure.ts'
import { type RequestContext, mounting } from '../../http/mount.ts'
import type { System } from '../../daemon/system.ts'

export function learnRuntimeRoutes(app: FastifyInstance, { desk, config }: System): void {
  const on = mounting(app)
  const rule = config.settings.learn.concurrency

  const current = (caller: RequestContext['caller']) =>
    desk.read((reader) => {
      const session = findCurrentSession(reader, caller.user_id, rule)
      if (session === undefined) {
        throw new Failure('LEARN_SESSION_NOT_FOUND', 'There is no learn session yet.')
      }
      return runtimeSnapshot(reader, session, desk.now())
    })

  on(getCurrentRuntime)(async (asked) => {
    const snapshot = current(asked.caller)
    const sessionId = snapshot.learn_session_id
    try {
      await desk.sessionRead({ ...asked, params: { sessionId } }, () => undefined)
    } catch (error) {
      // The request names no session, so one that was left too long is moved on and shown as it is then.
      if (!(error instanceof Failure) || error.code !== 'SESSION_TIMEOUT') throw error
      return current(asked.caller)
    }
    return snapshot
  })

  on(getSessionDetail)((asked) =>
    desk.sessionRead(asked, (reader) =>
      sessionDetail(reader, asked.params.sessionId, asked.caller.user_id),
    ),
  )
}
