import { type OpenLane, OpenLane as Lanes } from '@apprentice/contracts/abilities/ability.ts'
import { Failure } from '../../failure/failure.ts'
import { type AbilityRow, findAbility } from '../../store/abilities/abilities.ts'
import { findAbilityOfSlug, findOpenSaga } from '../../store/install/install-sagas.ts'
import type { StoredProposal } from '../../store/proposals/proposals.ts'
import { findImportOfProposal } from '../../store/skill-import/skill-imports.ts'
import { assertMayChange, isVisible, laneBehind } from '../abilities/visibility.ts'
import type { CommandContext } from '../command/context.ts'
import { findProposalSession } from '../proposals/moves.ts'
import { assertInstallable } from '../review/verdicts.ts'
import { inProgress } from './saga-record.ts'

export interface InstallRequest {
  readonly kind: 'install' | 'approve'
  readonly lane: OpenLane
  readonly draft_hash?: string | undefined
  /** Whether who asks may open lanes that others use too. */
  readonly privileged: boolean
}

const origins = {
  install: ['ready_for_review'],
  approve: ['ready_for_review', 'installed_private'],
} as const
/** What was installed and removed since may be installed again. */
const originsWhenGone = ['ready_for_review', 'installed_private', 'approved'] as const

/** Refuses what may not be installed; nothing has changed then. Returns the ability it becomes, or stays. */
export function preflight(
  ctx: CommandContext,
  proposal: StoredProposal,
  request: InstallRequest,
): string {
  assertLane(request)
  const { lane, draft_hash } = request
  const ability_id = abilityIdOf(ctx, proposal)
  const there = findAbility(ctx.tx, ability_id)
  const from = there === undefined ? originsWhenGone : origins[request.kind]
  assertInstallable(ctx, proposal, { lane, draft_hash, from })
  if (there !== undefined) assertOwnPlace(ctx, proposal, { there, request })
  assertFreeFolder(ctx, proposal, ability_id)
  const open = findOpenSaga(ctx.tx, ability_id, proposal.proposed_skill_slug)
  if (open !== undefined) throw inProgress(open)
  return ability_id
}

/** Lanes that others use too are opened by an administrator. */
export function assertLane({ lane, privileged }: Pick<InstallRequest, 'lane' | 'privileged'>) {
  if (lane === 'experimental_private' || privileged) return
  throw denied(`Only an administrator opens the lane ${lane}.`, { install_lane: lane })
}

/** A skill that is improved stays the ability it is, and so does one that was installed before. */
function abilityIdOf(ctx: CommandContext, proposal: StoredProposal): string {
  const known = proposal.ability_id && findAbility(ctx.tx, proposal.ability_id)?.ability_id
  const imported = findImportOfProposal(ctx.tx, proposal.proposal_id) !== undefined
  const origin = imported ? 'imported' : 'learned'
  return improvedBy(ctx, proposal) ?? known ?? `${origin}.${proposal.proposed_skill_slug}`
}

function improvedBy(ctx: CommandContext, proposal: StoredProposal): string | undefined {
  const session = findProposalSession(ctx.tx, proposal)
  return session?.target_kind === 'existing_skill' ? session.target_skill_id : undefined
}

/** Only a further version of an ability takes its place, and never out of the sight of those who use it. */
function assertOwnPlace(
  ctx: CommandContext,
  proposal: StoredProposal,
  { there, request }: { there: AbilityRow; request: InstallRequest },
): void {
  const { ability_id } = there
  const improves = improvedBy(ctx, proposal) === ability_id
  if (there.source === 'native' || !isVisible(there, proposal.owner_user_id)) {
    throw taken(ctx, proposal, ability_id)
  }
  if (!improves && there.proposal_id !== proposal.proposal_id) {
    throw taken(ctx, proposal, ability_id)
  }
  assertMayChange(there, request.privileged)
  const lane = laneBehind(there)
  if (widest(lane, request.lane) === request.lane) return
  throw denied(`The ability is in ${lane}; a new version goes there too.`, { install_lane: lane })
}

const order = Lanes.options

/** Of two lanes the one that more people use. */
export const widest = (one: OpenLane, other: OpenLane): OpenLane =>
  order.indexOf(one) >= order.indexOf(other) ? one : other

function assertFreeFolder(ctx: CommandContext, proposal: StoredProposal, abilityId: string): void {
  const namesake = findAbilityOfSlug(ctx.tx, proposal.proposed_skill_slug)
  if (namesake !== undefined && namesake !== abilityId) throw taken(ctx, proposal, namesake)
}

/** Whose it is, is told only to those who may know of it. */
function taken({ tx }: CommandContext, proposal: StoredProposal, abilityId: string): Failure {
  const { proposed_skill_slug: skill_slug, owner_user_id } = proposal
  const there = findAbility(tx, abilityId)
  const known = there !== undefined && isVisible(there, owner_user_id)
  return denied(`There is another ability called ${skill_slug}; revise the name.`, {
    collision: 'skill_slug',
    skill_slug,
    ...(known ? { ability_id: abilityId } : {}),
  })
}

const denied = (message: string, details: Readonly<Record<string, unknown>>): Failure =>
  new Failure('INSTALL_LANE_DENIED', message, { details })
