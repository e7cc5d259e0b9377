import { randomBytes } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import {
  cancelSession,
  createSession,
  deleteSession,
  listSessions,
  pauseCapture,
  resumeCapture,
  startCapture,
  stopCapture,
} from '@apprentice/contracts/learn/sessions.ts'
import * as capture from '../../domain/capture/capture.ts'
import { createLearnSession, chooseUi } from '../../domain/sessions/create-session.ts'
import * as ending from '../../domain/learn/end-session.ts'
import { mountContract, type RequestContext } from '../../http/contract-routes.ts'
import { listLearnSessions, toPublicSession } from '../../store/sessions/learn-sessions.ts'
import type { System } from '../../daemon/system.ts'

export function learnSessionRoutes(app: FastifyInstance, { commands, config, settledLooks }: System): void {
  const on = mountContract(app)
  const rule = config.settings.learn.concurrency
  const rules = { max_phase: config.settings.learn.adapters_max_phase }

  /** A repeated request gets the first reply and reads nothing. */
  const readLastScreen = async (request: RequestContext<{ readonly sessionId: string }>): Promise<void> => {
    if (commands.findFirstReply(request) !== undefined) return
    await settledLooks.finish(request.params.sessionId, request.caller.user_id)
  }

  on(createSession)((request) =>
    commands.command(request, (ctx) => {
      const salt = randomBytes(16).toString('hex')
      const body = { ...request.body, entry_mode: request.body.entry_mode ?? request.query.entry_mode }
      const session = createLearnSession(ctx, body, { rule, salt })
      return { session: toPublicSession(session), ...chooseUi(session) }
    }),
  )

  on(listSessions)(({ caller, query }) => {
    const found = commands.read((reader) => listLearnSessions(reader, caller.user_id, query))
    const { page, page_size } = query
    return {
      sessions: found.sessions.map(toPublicSession),
      total: found.total,
      page,
      page_size,
      schema_version: 1,
    }
  })

  on(startCapture)((request) =>
    commands.sessionCommand(request, (ctx) => {
      const session = capture.startCapture(ctx, request.params.sessionId, {
        ...request.body,
        rules,
      })
      return {
        session: toPublicSession(session),
        observation_active: session.adapters_armed.length > 0,
        adapters_armed: session.adapters_armed,
      }
    }),
  )

  on(pauseCapture)(async (request) => {
    await readLastScreen(request)
    return commands.sessionCommand(request, (ctx) => ({
      session: toPublicSession(capture.pauseCapture(ctx, request.params.sessionId)),
    }))
  })

  on(resumeCapture)((request) =>
    commands.sessionCommand(request, (ctx) => ({
      session: toPublicSession(capture.resumeCapture(ctx, request.params.sessionId, rules)),
    })),
  )

  on(stopCapture)(async (request) => {
    await readLastScreen(request)
    return commands.sessionCommand(request, (ctx) => {
      const stopped = capture.stopCapture(ctx, request.params.sessionId)
      return { ...stopped, session: toPublicSession(stopped.session) }
    })
  })

  on(cancelSession)((request) =>
    commands.sessionCommand(request, (ctx) => ({
      session: toPublicSession(ending.cancelSession(ctx, request.params.sessionId, request.body.reason)),
    })),
  )

  on(deleteSession)((request) =>
    commands.sessionCommand(request, (ctx) => {
      ending.deleteSession(ctx, request.params.sessionId)
      return { deleted: true }
    }),
  )
}
