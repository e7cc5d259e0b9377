import { findAbility } from '../../store/abilities/abilities.ts'
import type { Reader } from '../../store/db/db.ts'
import type { StoredProposal } from '../../store/proposals/proposals.ts'
import { findImportByProposal } from '../../store/skill-import/skill-imports.ts'
import { findProposalSession } from './moves.ts'

/** The id of the ability that a proposal becomes. An improvement and a repeated installation keep the id. */
export function resolveAbilityId(reader: Reader, proposal: StoredProposal): string {
  const known = proposal.ability_id && findAbility(reader, proposal.ability_id)?.ability_id
  const imported = findImportByProposal(reader, proposal.proposal_id) !== undefined
  const origin = imported ? 'imported' : 'learned'
  return findImprovedAbility(reader, proposal) ?? known ?? `${origin}.${proposal.proposed_skill_slug}`
}

export function findImprovedAbility(reader: Reader, proposal: StoredProposal): string | undefined {
  const session = findProposalSession(reader, proposal)
  return session?.target_kind === 'existing_skill' ? session.target_skill_id : undefined
}
