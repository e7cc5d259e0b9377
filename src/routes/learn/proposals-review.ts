import type { FastifyInstance } from 'fastify'
import * as contracts from '@apprentice/contracts/learn/proposal-review.ts'
import { buildProposalDetail } from '../../domain/proposals/detail.ts'
import { createSimilarAbilityFinder } from '../../domain/proposals/collisions.ts'
import { describeFile, getDraftFile } from '../../domain/proposals/content/files.ts'
import { getOwnProposal } from '../../domain/proposals/moves.ts'
import { reviseProposal } from '../../domain/review/revise.ts'
import { listProposalRevisions } from '../../domain/proposals/content/revisions.ts'
import { rejectProposal } from '../../domain/review/verdicts.ts'
import { mountContract } from '../../http/contract-routes.ts'
import type { System } from '../../daemon/system.ts'

export function learnProposalReviewRoutes(
  app: FastifyInstance,
  { commands, config, demonstrations, lessons, lookup, lookupWarmed }: System,
): void {
  const on = mountContract(app)
  const rule = config.settings.learn.concurrency

  const findSimilar = createSimilarAbilityFinder(lookup)

  /** Reads committed state only: similar abilities are not searched inside a transaction. */
  const readDetail = async (proposalId: string, userId: string) => {
    await lookupWarmed
    return commands.read((reader) => buildProposalDetail(reader, proposalId, userId, findSimilar))
  }

  on(contracts.getProposalDetail)(({ caller, params }) => readDetail(params.proposalId, caller.user_id))

  on(contracts.getDraftFile)(({ caller, params }) =>
    commands.read((reader) => {
      getOwnProposal(reader, params.proposalId, caller.user_id)
      const file = getDraftFile(reader, params.proposalId, params.name)
      return { ...describeFile(file), content: file.content, schema_version: 1 }
    }),
  )

  on(contracts.listProposalRevisions)(({ caller, params, query }) =>
    commands.read((reader) => {
      getOwnProposal(reader, params.proposalId, caller.user_id)
      const found = listProposalRevisions(reader, params.proposalId, query)
      return { ...found, ...query, schema_version: 1 }
    }),
  )

  on(contracts.reviseProposal)(async (request) => {
    const { proposalId } = request.params
    const { user_id } = request.caller
    const { learn_session_id } = commands.read((reader) => getOwnProposal(reader, proposalId, user_id))
    const recorded = demonstrations.openSession(learn_session_id ?? '', user_id)
    await lessons.draft(recorded, (compile) =>
      commands.command(request, (ctx) => {
        const { proposal_id } = reviseProposal(ctx, proposalId, request.body, { rule, compile })
        return { proposal_id }
      }),
    )
    return readDetail(proposalId, user_id)
  })

  on(contracts.rejectProposal)(async (request) => {
    const { proposalId } = request.params
    await commands.command(request, (ctx) => {
      const { proposal_id } = rejectProposal(ctx, proposalId, request.body.reason)
      return { proposal_id }
    })
    return readDetail(proposalId, request.caller.user_id)
  })
}
