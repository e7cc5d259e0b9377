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
import { createLearnSession, uiOf } from '../../domain/sessions/create-session.ts'
import * as ending from '../../domain/learn/end-session.ts'
import { mounting } from '../../http/mount.ts'
import { listLearnSessions, publicSession } from '../../store/sessions/learn-sessions.ts'
import type { System } from '../../daemon/system.ts'

export function learnSessionRoutes(app: FastifyInstance, { desk, config }: System): void {
  const on = mounting(app)
  const rule = config.settings.learn.concurrency
  const rules = { max_phase: config.settings.learn.adapters_max_phase }

  on(createSession)((asked) =>
    desk.command(asked, (act) => {
      const salt = randomBytes(16).toString('hex')
      const session = createLearnSession(act, asked.body, { rule, salt })
      return { session: publicSession(session), ...uiOf(session) }
    }),
  )

  on(listSessions)(({ caller, query }) => {
    const found = desk.read((reader) => listLearnSessions(reader, caller.user_id, query))
    const { page, page_size } = query
    return {
      sessions: found.sessions.map(publicSession),
      total: found.total,
      page,
      page_size,
      schema_version: 1,
    }
  })

  on(startCapture)((asked) =>
    desk.sessionCommand(asked, (act) => {
      const session = capture.startCapture(act, asked.params.sessionId, { ...asked.body, rules })
      return {
        session: publicSession(session),
        observation_active: session.adapters_armed.length > 0,
        adapters_armed: session.adapters_armed,
      }
    }),
  )

  on(pauseCapture)((asked) =>
    desk.sessionCommand(asked, (act) => ({
      session: publicSession(capture.pauseCapture(act, asked.params.sessionId)),
    })),
  )

  on(resumeCapture)((asked) =>
    desk.sessionCommand(asked, (act) => ({
      session: publicSession(capture.resumeCapture(act, asked.params.sessionId, rules)),
    })),
  )

  on(stopCapture)((asked) =>
    desk.sessionCommand(asked, (act) => {
      const stopped = capture.stopCapture(act, asked.params.sessionId)
      return { ...stopped, session: publicSession(stopped.session) }
    }),
  )

  on(cancelSession)((asked) =>
    desk.sessionCommand(asked, (act) => ({
      session: publicSession(ending.cancelSession(act, asked.params.sessionId, asked.body.reason)),
    })),
  )

  on(deleteSession)((asked) =>
    desk.sessionCommand(asked, (act) => {
      ending.deleteSession(act, asked.params.sessionId)
      return { deleted: true }
    }),
  )
}
