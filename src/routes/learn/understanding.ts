import type { FastifyInstance } from 'fastify'
import { getUnderstanding, listCapturedSteps } from '@apprentice/contracts/learn/understanding.ts'
import { listStepViews } from '../../domain/capture/step-views.ts'
import { describeUnderstanding } from '../../domain/proposals/understanding.ts'
import { readOwnSession } from '../../domain/sessions/session-access.ts'
import { mountContract } from '../../http/contract-routes.ts'
import type { System } from '../../daemon/system.ts'

export function learnUnderstandingRoutes(app: FastifyInstance, { commands, demonstrations }: System): void {
  const on = mountContract(app)

  on(listCapturedSteps)(async (request) => {
    const { sessionId } = request.params
    const { user_id } = request.caller
    const capture = await demonstrations.readCapture(sessionId, user_id)
    return commands.sessionRead(request, (reader) => {
      readOwnSession(reader, sessionId, user_id)
      return { steps: listStepViews(reader, sessionId, capture), schema_version: 1 as const }
    })
  })

  on(getUnderstanding)(async (request) => {
    const { sessionId } = request.params
    const { user_id } = request.caller
    const traces = await demonstrations.readSession(sessionId, user_id)
    const capture = await demonstrations.readCapture(sessionId, user_id)
    return commands.sessionRead(request, (tx) => {
      const session = readOwnSession(tx, sessionId, user_id)
      // The capture becomes a trace only when it stops.
      const isRunning = session.state === 'capturing' || session.state === 'paused'
      const ctx = { tx, now: commands.now(), newId: () => commands.newId() }
      const understanding = describeUnderstanding(ctx, session, isRunning ? [...traces, capture] : traces)
      return { ...(understanding === undefined ? {} : { understanding }), schema_version: 1 as const }
    })
  })
}
