import type { FastifyInstance } from 'fastify'
import * as contracts from '@apprentice/contracts/learn/sessions.ts'
import { markMoment, trimCapture } from '../../domain/capture/markers.ts'
import { mounting } from '../../http/mount.ts'
import { publicSession } from '../../store/sessions/learn-sessions.ts'
import type { System } from '../../daemon/system.ts'

export function learnMarkerRoutes(app: FastifyInstance, { desk }: System): void {
  const on = mounting(app)

  on(contracts.markGoal)((asked) =>
    desk.sessionCommand(asked, (act) => {
      const { goal_description: label, at_event_id } = asked.body
      const marker = { kind: 'mark_goal', label, at_event_id } as const
      return { session: publicSession(markMoment(act, asked.params.sessionId, marker)) }
    }),
  )

  on(contracts.markStep)((asked) =>
    desk.sessionCommand(asked, (act) => {
      const { step_label: label, step_kind_hint, at_event_id } = asked.body
      const marker = { kind: 'mark_step', label, step_kind_hint, at_event_id } as const
      return { session: publicSession(markMoment(act, asked.params.sessionId, marker)) }
    }),
  )

  on(contracts.trimCapture)((asked) =>
    desk.sessionCommand(asked, (act) => ({
      session: publicSession(trimCapture(act, asked.params.sessionId, asked.body)),
    })),
  )
}
