import type { z } from 'zod'
import type { getProposalDetail } from '../../../contracts/learn/proposal.ts'
import type { Reader } from '../../store/db.ts'
import { findInterpretation } from '../../store/interpretations.ts'
import { publicProposal } from '../../store/proposals.ts'
import { listAskedQuestions } from './clarification.ts'
import { getOwnProposal } from './proposal-moves.ts'

export type ProposalDetail = z.infer<typeof getProposalDetail.reply>

/** A proposal with its meaning and its questions, archived or not. */
export function proposalDetail(reader: Reader, proposalId: string, owner: string): ProposalDetail {
  const proposal = getOwnProposal(reader, proposalId, owner)
  const { interpretation_id } = proposal
  const interpretation =
    interpretation_id === undefined ? undefined : findInterpretation(reader, interpretation_id)
  return {
    proposal: publicProposal(proposal),
    ...(interpretation === undefined ? {} : { interpretation }),
    questions: listAskedQuestions(reader, proposalId),
    schema_version: 1,
  }
}
