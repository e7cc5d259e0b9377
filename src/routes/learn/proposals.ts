import type { FastifyInstance } from 'fastify'
import { getProposalDetail, listProposals } from '../../../contracts/learn/proposal.ts'
import {
  answerQuestions,
  generateProposal,
  setTestPolicy,
} from '../../../contracts/learn/sessions.ts'
import { proposalDetail } from '../../domain/learn/proposal-detail.ts'
import * as proposals from '../../domain/learn/proposals.ts'
import * as testing from '../../domain/learn/test-policy.ts'
import { Failure } from '../../failure.ts'
import { mounting } from '../../http/mount.ts'
import { publicSession } from '../../store/learn-sessions.ts'
import * as store from '../../store/proposals.ts'
import type { System } from '../../system.ts'

export function learnProposalRoutes(app: FastifyInstance, { desk }: System): void {
  const on = mounting(app)

  on(generateProposal)(async (asked) => {
    const { failed, ...reply } = await desk.sessionCommand(asked, (act) => {
      const outcome = proposals.generateProposal(act, asked.params.sessionId)
      return { ...outcome, session: publicSession(outcome.session) }
    })
    if (failed) throw draftFailed()
    return reply
  })

  on(answerQuestions)(async (asked) => {
    const { failed, ...reply } = await desk.sessionCommand(asked, (act) => {
      const { sessionId } = asked.params
      const outcome = proposals.answerQuestions(act, sessionId, asked.body.answers)
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

  on(getProposalDetail)(({ caller, params }) =>
    desk.read((reader) => proposalDetail(reader, params.proposalId, caller.user_id)),
  )
}

/** Thrown only after the commit: the cancelled proposal and the session's move stay. */
const draftFailed = (): Failure =>
  new Failure(
    'INTERNAL_ERROR',
    'The draft could not be made. The session is in review; ask for a proposal again.',
  )
