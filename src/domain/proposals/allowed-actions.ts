import type { ProposalAction } from '@apprentice/contracts/learn/proposal-review.ts'
import type { Reader } from '../../store/db/db.ts'
import { findAbility } from '../../store/abilities/abilities.ts'
import { findSaga } from '../../store/install/install-sagas.ts'
import type { StoredProposal } from '../../store/proposals/proposals.ts'

/** When each command on a proposal is legal. A client offers what is listed and nothing else. */
export function proposalActions(reader: Reader, proposal: StoredProposal): ProposalAction[] {
  if (proposal.active_validation_run_id !== undefined) return ['cancel_validation']
  switch (proposal.proposal_state) {
    case 'draft':
      return ['revise', 'validate']
    case 'testing':
      return ['revise', 'validate', 'request_more_tests']
    case 'ready_for_review':
      return ['revise', 'validate', 'request_more_tests', 'install', 'approve', 'reject']
    case 'quarantined':
      return ['revise']
    case 'installing_private':
      return isHalfDone(reader, proposal) ? ['install'] : []
    case 'installed_private':
      if (isQuarantined(reader, proposal)) return ['revise']
      return isRemoved(reader, proposal) ? ['install', 'approve'] : ['approve']
    case 'approved':
      if (isQuarantined(reader, proposal)) return ['revise']
      if (isRemoved(reader, proposal)) return ['install', 'approve']
      return isHalfDone(reader, proposal) ? ['approve'] : []
    case 'awaiting_questions':
    case 'rejected':
    case 'cancelled':
      return []
  }
}

/** The ability made from a proposal was taken out of use. */
export function isQuarantined(reader: Reader, { ability_id }: StoredProposal): boolean {
  const ability = ability_id === undefined ? undefined : findAbility(reader, ability_id)
  return ability?.install_lane === 'quarantined'
}

/** Its installation stopped on the way, and goes on when somebody asks again. */
function isHalfDone(reader: Reader, { saga_id }: StoredProposal): boolean {
  return saga_id !== undefined && findSaga(reader, saga_id)?.status === 'degraded'
}

/** It was installed, and the ability is gone. */
function isRemoved(reader: Reader, proposal: StoredProposal): boolean {
  const { ability_id, saga_id } = proposal
  if (ability_id === undefined || findAbility(reader, ability_id) !== undefined) return false
  return saga_id !== undefined && findSaga(reader, saga_id)?.status === 'completed'
}
