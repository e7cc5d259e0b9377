import type { FastifyInstance } from 'fastify'
import * as contracts from '@apprentice/contracts/learn/proposal-review.ts'
import { proposalDetail } from '../../domain/proposals/detail.ts'
import { similarAbilities } from '../../domain/proposals/collisions.ts'
import { fileFacts, getDraftFile } from '../../domain/proposals/files.ts'
import { getOwnProposal } from '../../domain/proposals/moves.ts'
import { reviseProposal } from '../../domain/review/revise.ts'
import { proposalRevisions } from '../../domain/proposals/revisions.ts'
import { rejectProposal } from '../../domain/review/verdicts.ts'
import { compileWith } from '../../domain/review/proposals.ts'
import { mounting } from '../../http/mount.ts'
import type { System } from '../../daemon/system.ts'

export function learnProposalReviewRoutes(
  app: FastifyInstance,
  { commands, config, demonstrations, lookup, lookupWarmed }: System,
): void {
  const on = mounting(app)
  const rule = config.settings.learn.concurrency

  const findSimilar = similarAbilities(lookup)

  /** Always of what is committed: abilities are not looked for in the middle of a change. */
  const detailOf = async (proposalId: string, userId: string) => {
    await lookupWarmed
    return commands.read((reader) => proposalDetail(reader, proposalId, userId, findSimilar))
  }

  on(contracts.getProposalDetail)(({ caller, params }) =>
    detailOf(params.proposalId, caller.user_id),
  )

  on(contracts.getDraftFile)(({ caller, params }) =>
    commands.read((reader) => {
      getOwnProposal(reader, params.proposalId, caller.user_id)
      const file = getDraftFile(reader, params.proposalId, params.name)
      return { ...fileFacts(file), content: file.content, schema_version: 1 }
    }),
  )

  on(contracts.listProposalRevisions)(({ caller, params, query }) =>
    commands.read((reader) => {
      getOwnProposal(reader, params.proposalId, caller.user_id)
      const found = proposalRevisions(reader, params.proposalId, query)
      return { ...found, ...query, schema_version: 1 }
    }),
  )

  on(contracts.reviseProposal)(async (request) => {
    const { proposalId } = request.params
    const { user_id } = request.caller
    const { learn_session_id } = commands.read((reader) =>
      getOwnProposal(reader, proposalId, user_id),
    )
    const runs =
      learn_session_id === undefined
        ? []
        : await demonstrations.ofSession(learn_session_id, user_id)
    await commands.command(request, (ctx) => {
      const how = { rule, compile: compileWith(runs) }
      const { proposal_id } = reviseProposal(ctx, proposalId, request.body, how)
      return { proposal_id }
    })
    return detailOf(proposalId, user_id)
  })

  on(contracts.rejectProposal)(async (request) => {
    const { proposalId } = request.params
    await commands.command(request, (ctx) => {
      const { proposal_id } = rejectProposal(ctx, proposalId, request.body.reason)
      return { proposal_id }
    })
    return detailOf(proposalId, request.caller.user_id)
  })
}
