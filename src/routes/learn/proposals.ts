import type { FastifyInstance } from 'fastify'
import { listProposals } from '@apprentice/contracts/learn/proposal.ts'
import { answerQuestions, generateProposal, setTestPolicy } from '@apprentice/contracts/learn/sessions.ts'
import * as proposals from '../../domain/review/generate-proposal.ts'
import * as testing from '../../domain/proposals/test-policy.ts'
import { Failure } from '../../failure/failure.ts'
import { mountContract } from '../../http/contract-routes.ts'
import { toPublicSession } from '../../store/sessions/learn-sessions.ts'
import * as store from '../../store/proposals/proposals.ts'
import type { System } from '../../daemon/system.ts'

export function learnProposalRoutes(app: FastifyInstance, { commands, demonstrations, lessons }: System): void {
  const on = mountContract(app)

  on(generateProposal)(async (request) => {
    const { sessionId } = request.params
    const recorded = demonstrations.openSession(sessionId, request.caller.user_id)
    const { failed, ...reply } = await lessons.draft(recorded, (compile) =>
      commands.sessionCommand(request, (ctx) => {
        const outcome = proposals.generateProposal(ctx, sessionId, compile)
        return { ...outcome, session: toPublicSession(outcome.session) }
      }),
    )
    if (failed) throw draftFailed()
    return reply
  })

  on(answerQuestions)(async (request) => {
    const { sessionId } = request.params
    const recorded = demonstrations.openSession(sessionId, request.caller.user_id)
    const { failed, ...reply } = await lessons.draft(recorded, (compile) =>
      commands.sessionCommand(request, (ctx) => {
        const outcome = proposals.answerQuestions(ctx, sessionId, request.body.answers, compile)
        return { ...outcome, session: toPublicSession(outcome.session) }
      }),
    )
    if (failed) throw draftFailed()
    return reply
  })

  on(setTestPolicy)((request) =>
    commands.sessionCommand(request, (ctx) => ({
      session: toPublicSession(testing.setTestPolicy(ctx, request.params.sessionId, request.body.test_policy)),
    })),
  )

  on(listProposals)(({ caller, query }) => {
    const found = commands.read((reader) => store.listProposals(reader, caller.user_id, query))
    return {
      proposals: found.proposals.map(store.toPublicProposal),
      total: found.total,
      page: query.page,
      page_size: query.page_size,
      schema_version: 1,
    }
  })
}

/** Thrown after the commit, so that the cancelled proposal and the new state of the session stay. */
const draftFailed = (): Failure =>
  new Failure('INTERNAL_ERROR', 'The draft could not be made. The session is in review. Generate the proposal again.')
