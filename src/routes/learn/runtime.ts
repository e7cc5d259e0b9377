import type { FastifyInstance } from 'fastify'
import { getCurrentRuntime, getSessionDetail } from '@apprentice/contracts/learn/runtime.ts'
import { findCurrentSession, buildRuntimeSnapshot } from '../../domain/learn/runtime-snapshot.ts'
import { buildSessionDetail } from '../../domain/learn/session-detail.ts'
import { Failure } from '../../failure/failure.ts'
import { type RequestContext, mountContract } from '../../http/contract-routes.ts'
import type { System } from '../../daemon/system.ts'

export function learnRuntimeRoutes(app: FastifyInstance, { commands, config }: System): void {
  const on = mountContract(app)
  const rule = config.settings.learn.concurrency

  const current = (caller: RequestContext['caller']) =>
    commands.read((reader) => {
      const session = findCurrentSession(reader, caller.user_id, rule)
      if (session === undefined) {
        throw new Failure('LEARN_SESSION_NOT_FOUND', 'There is no learn session. Create one first.')
      }
      return buildRuntimeSnapshot(reader, session, commands.now())
    })

  on(getCurrentRuntime)(async (request) => {
    const snapshot = current(request.caller)
    const sessionId = snapshot.learn_session_id
    try {
      await commands.sessionRead({ ...request, params: { sessionId } }, () => undefined)
    } catch (error) {
      // The request names no session, so an expired one is returned in its new state instead of refused.
      if (!(error instanceof Failure) || error.code !== 'SESSION_TIMEOUT') throw error
      return current(request.caller)
    }
    return snapshot
  })

  on(getSessionDetail)((request) =>
    commands.sessionRead(request, (reader) =>
      buildSessionDetail(reader, request.params.sessionId, request.caller.user_id),
    ),
  )
}
