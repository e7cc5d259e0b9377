import type { FastifyInstance } from 'fastify'
import * as contracts from '@apprentice/contracts/learn/sessions.ts'
import { addMarker, trimCapture } from '../../domain/capture/markers.ts'
import { mountContract } from '../../http/contract-routes.ts'
import { toPublicSession } from '../../store/sessions/learn-sessions.ts'
import type { System } from '../../daemon/system.ts'

export function learnMarkerRoutes(app: FastifyInstance, { commands }: System): void {
  const on = mountContract(app)

  on(contracts.markGoal)((request) =>
    commands.sessionCommand(request, (ctx) => {
      const { goal_description: label, at_event_id } = request.body
      const marker = { kind: 'mark_goal', label, at_event_id } as const
      return { session: toPublicSession(addMarker(ctx, request.params.sessionId, marker)) }
    }),
  )

  on(contracts.markStep)((request) =>
    commands.sessionCommand(request, (ctx) => {
      const { step_label: label, step_kind_hint, at_event_id } = request.body
      const marker = { kind: 'mark_step', label, step_kind_hint, at_event_id } as const
      return { session: toPublicSession(addMarker(ctx, request.params.sessionId, marker)) }
    }),
  )

  on(contracts.trimCapture)((request) =>
    commands.sessionCommand(request, (ctx) => ({
      session: toPublicSession(trimCapture(ctx, request.params.sessionId, request.body)),
    })),
  )
}
