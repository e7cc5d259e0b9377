import type { ProposalAction } from '@apprentice/contracts/learn/proposal-review.ts'
import type { Reader } from '../../store/db/db.ts'
import { findAbility } from '../../store/abilities/abilities.ts'
import { findSaga } from '../../store/install/install-sagas.ts'
import type { StoredProposal } from '../../store/proposals/proposals.ts'

/** The commands that are legal for a proposal now. Clients offer exactly these. */
export function listProposalActions(reader: Reader, proposal: StoredProposal): ProposalAction[] {
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
      return isInstallDegraded(reader, proposal) ? ['install'] : []
    case 'installed_private':
      if (isQuarantined(reader, proposal)) return ['revise']
      return isRemoved(reader, proposal) ? ['install', 'approve'] : ['approve']
    case 'approved':
      if (isQuarantined(reader, proposal)) return ['revise']
      if (isRemoved(reader, proposal)) return ['install', 'approve']
      return isInstallDegraded(reader, proposal) ? ['approve'] : []
    case 'awaiting_questions':
    case 'rejected':
    case 'cancelled':
      return []
  }
}

/** The ability of the proposal is quarantined. */
export function isQuarantined(reader: Reader, { ability_id }: StoredProposal): boolean {
  const ability = ability_id === undefined ? undefined : findAbility(reader, ability_id)
  return ability?.install_lane === 'quarantined'
}

/** The install saga stopped before its end. The install command resumes it. */
function isInstallDegraded(reader: Reader, { saga_id }: StoredProposal): boolean {
  return saga_id !== undefined && findSaga(reader, saga_id)?.status === 'degraded'
}

/** The ability was installed and deleted later. */
function isRemoved(reader: Reader, proposal: StoredProposal): boolean {
  const { ability_id, saga_id } = proposal
  if (ability_id === undefined || findAbility(reader, ability_id) !== undefined) return false
  return saga_id !== undefined && findSaga(reader, saga_id)?.status === 'completed'
}
