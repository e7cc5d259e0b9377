import type { FastifyInstance } from 'fastify'
import { listProposals } from '@apprentice/contracts/learn/proposal.ts'
import {
  answerQuestions,
  generateProposal,
  setTestPolicy,
} from '@apprentice/contracts/learn/sessions.ts'
import * as proposals from '../../domain/review/proposals.ts'
import * as testing from '../../domain/proposals/test-policy.ts'
import { Failure } from '../../failure/failure.ts'
import { mounting } from '../../http/mount.ts'
import { publicSession } from '../../store/sessions/learn-sessions.ts'
import * as store from '../../store/proposals/proposals.ts'
import type { System } from '../../daemon/system.ts'

export function learnProposalRoutes(
  app: FastifyInstance,
  { commands, demonstrations }: System,
): void {
  const on = mounting(app)

  on(generateProposal)(async (request) => {
    const { sessionId } = request.params
    const runs = await demonstrations.ofSession(sessionId, request.caller.user_id)
    const { failed, ...reply } = await commands.sessionCommand(request, (ctx) => {
      const outcome = proposals.generateProposal(ctx, sessionId, proposals.compileWith(runs))
      return { ...outcome, session: publicSession(outcome.session) }
    })
    if (failed) throw draftFailed()
    return reply
  })

  on(answerQuestions)(async (request) => {
    const { sessionId } = request.params
    const runs = await demonstrations.ofSession(sessionId, request.caller.user_id)
    const { failed, ...reply } = await commands.sessionCommand(request, (ctx) => {
      const compile = proposals.compileWith(runs)
      const outcome = proposals.answerQuestions(ctx, sessionId, request.body.answers, compile)
      return { ...outcome, session: publicSession(outcome.session) }
    })
    if (failed) throw draftFailed()
    return reply
  })

  on(setTestPolicy)((request) =>
    commands.sessionCommand(request, (ctx) => ({
      session: publicSession(
        testing.setTestPolicy(ctx, request.params.sessionId, request.body.test_policy),
      ),
    })),
  )

  on(listProposals)(({ caller, query }) => {
    const found = commands.read((reader) => store.listProposals(reader, caller.user_id, query))
    return {
      proposals: found.proposals.map(store.publicProposal),
      total: found.total,
      page: query.page,
      page_size: query.page_size,
      schema_version: 1,
    }
  })
}

/** Thrown only after the commit: the cancelled proposal and the session's move stay. */
const draftFailed = (): Failure =>
  new Failure(
    'INTERNAL_ERROR',
    'The draft could not be made. The session is in review; ask for a proposal again.',
  )
