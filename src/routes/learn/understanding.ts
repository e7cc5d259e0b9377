import type { FastifyInstance } from 'fastify'
import { getUnderstanding, listCapturedSteps } from '@apprentice/contracts/learn/understanding.ts'
import { listStepViews } from '../../domain/capture/step-views.ts'
import { describeLesson } from '../../domain/proposals/draft/learned-workflow.ts'
import { describeUnderstanding } from '../../domain/proposals/draft/understanding.ts'
import { buildDraftSource, readDraftJob } from '../../domain/proposals/write-proposal.ts'
import { readOwnSession } from '../../domain/sessions/session-access.ts'
import { mountContract } from '../../http/contract-routes.ts'
import type { System } from '../../daemon/system.ts'

export function learnUnderstandingRoutes(app: FastifyInstance, { commands, demonstrations, lessons }: System): void {
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
    const { source, isRunning } = await commands.sessionRead(request, (tx) => {
      const session = readOwnSession(tx, sessionId, user_id)
      const ctx = { tx, now: commands.now(), newId: () => commands.newId() }
      return {
        source: buildDraftSource(ctx, readDraftJob(ctx, session)),
        isRunning: session.state === 'capturing' || session.state === 'paused',
      }
    })
    const recorded = isRunning
      ? demonstrations.openRunningSession(sessionId, user_id)
      : demonstrations.openSession(sessionId, user_id)
    const learned = await lessons.learn(recorded, describeLesson(source))
    return {
      ...(learned === undefined ? {} : { understanding: describeUnderstanding(source, learned.workflow) }),
      schema_version: 1 as const,
    }
  })
}
