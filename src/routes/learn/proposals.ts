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

export function learnProposalRoutes(app: FastifyInstance, { desk, demonstrations }: System): void {
  const on = mounting(app)

  on(generateProposal)(async (asked) => {
    const { sessionId } = asked.params
    const runs = await demonstrations.ofSession(sessionId, asked.caller.user_id)
    const { failed, ...reply } = await desk.sessionCommand(asked, (act) => {
      const outcome = proposals.generateProposal(act, sessionId, proposals.compileWith(runs))
      return { ...outcome, session: publicSession(outcome.session) }
    })
    if (failed) throw draftFailed()
    return reply
  })

  on(answerQuestions)(async (asked) => {
    const { sessionId } = asked.params
    const runs = await demonstrations.ofSession(sessionId, asked.caller.user_id)
    const { failed, ...reply } = await desk.sessionCommand(asked, (act) => {
      const compile = proposals.compileWith(runs)
      const outcome = proposals.answerQuestions(act, sessionId, asked.body.answers, compile)
      return { ...outcome, session: publicSession(outcome.session) }
    })
    if (failed) throw draftFailed()
    return reply
  })

  on(setTestPolicy)((asked) =>
    desk.sessionCommand(asked, (act) => ({
      session: publicSession(
        testing.setTestPolicy(act, asked.params.sessionId, asked.body.test_policy),
      ),
    })),
  )

  on(listProposals)(({ caller, query }) => {
    const found = desk.read((reader) => store.listProposals(reader, caller.user_id, query))
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
