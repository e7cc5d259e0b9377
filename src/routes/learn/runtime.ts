import type { FastifyInstance } from 'fastify'
import { getCurrentRuntime, getSessionDetail } from '@apprentice/contracts/learn/runtime.ts'
import { findCurrentSession, runtimeSnapshot } from '../../domain/learn/runtime-snapshot.ts'
import { sessionDetail } from '../../domain/learn/session-detail.ts'
import { Failure } from '../../failure/failure.ts'
import { type RequestContext, mounting } from '../../http/mount.ts'
import type { System } from '../../daemon/system.ts'

export function learnRuntimeRoutes(app: FastifyInstance, { commands, config }: System): void {
  const on = mounting(app)
  const rule = config.settings.learn.concurrency

  const current = (caller: RequestContext['caller']) =>
    commands.read((reader) => {
      const session = findCurrentSession(reader, caller.user_id, rule)
      if (session === undefined) {
        throw new Failure('LEARN_SESSION_NOT_FOUND', 'There is no learn session yet.')
      }
      return runtimeSnapshot(reader, session, commands.now())
    })

  on(getCurrentRuntime)(async (request) => {
    const snapshot = current(request.caller)
    const sessionId = snapshot.learn_session_id
    try {
      await commands.sessionRead({ ...request, params: { sessionId } }, () => undefined)
    } catch (error) {
      // The request names no session, so one that was left too long is moved on and shown as it is then.
      if (!(error instanceof Failure) || error.code !== 'SESSION_TIMEOUT') throw error
      return current(request.caller)
    }
    return snapshot
  })

  on(getSessionDetail)((request) =>
    commands.sessionRead(request, (reader) =>
      sessionDetail(reader, request.params.sessionId, request.caller.user_id),
    ),
  )
}
