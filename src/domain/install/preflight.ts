import { type OpenLane, OpenLane as Lanes } from '@apprentice/contracts/abilities/ability.ts'
import { Failure } from '../../failure/failure.ts'
import { type AbilityRow, findAbility } from '../../store/abilities/abilities.ts'
import { findAbilityIdBySlug, findOpenSaga } from '../../store/install/install-sagas.ts'
import type { StoredProposal } from '../../store/proposals/proposals.ts'
import { effectiveLane } from '../abilities/lanes.ts'
import { assertMayChange, isVisible } from '../abilities/visibility.ts'
import type { CommandContext } from '../command/context.ts'
import { findImprovedAbility, resolveAbilityId } from '../proposals/ability-id.ts'
import { assertInstallable } from '../review/verdicts.ts'
import { installInProgress } from './saga-record.ts'

export interface InstallRequest {
  readonly kind: 'install' | 'approve'
  readonly lane: OpenLane
  readonly draft_hash?: string | undefined
  /** The caller is an admin, who may install into shared lanes. */
  readonly privileged: boolean
}

const INSTALLABLE_STATES = {
  install: ['ready_for_review'],
  approve: ['ready_for_review', 'installed_private'],
} as const
/** A proposal whose ability was removed may be installed again. */
const INSTALLABLE_STATES_WITHOUT_ABILITY = ['ready_for_review', 'installed_private', 'approved'] as const

/** Throws if the proposal may not be installed. Returns the id of the ability it becomes. */
export function preflight(ctx: CommandContext, proposal: StoredProposal, request: InstallRequest): string {
  assertLaneAllowed(request)
  const { lane, draft_hash } = request
  const ability_id = resolveAbilityId(ctx.tx, proposal)
  const existing = findAbility(ctx.tx, ability_id)
  const from = existing === undefined ? INSTALLABLE_STATES_WITHOUT_ABILITY : INSTALLABLE_STATES[request.kind]
  assertInstallable(ctx, proposal, { lane, draft_hash, from })
  if (existing !== undefined) assertReplaceable(ctx, proposal, { existing, request })
  assertFreeFolder(ctx, proposal, ability_id)
  const open = findOpenSaga(ctx.tx, ability_id, proposal.proposed_skill_slug)
  if (open !== undefined) throw installInProgress(open)
  return ability_id
}

/** Only admins install into lanes that other users see. */
export function assertLaneAllowed({ lane, privileged }: Pick<InstallRequest, 'lane' | 'privileged'>) {
  if (lane === 'experimental_private' || privileged) return
  throw laneDenied(`Only an admin may install into ${lane}.`, { install_lane: lane })
}

/** An existing ability is replaced only by a further version of itself, in the same or a wider lane. */
function assertReplaceable(
  ctx: CommandContext,
  proposal: StoredProposal,
  { existing, request }: { existing: AbilityRow; request: InstallRequest },
): void {
  const { ability_id } = existing
  const improves = findImprovedAbility(ctx.tx, proposal) === ability_id
  if (existing.source === 'native' || !isVisible(existing, proposal.owner_user_id)) {
    throw nameTaken(ctx, proposal, ability_id)
  }
  if (!improves && existing.proposal_id !== proposal.proposal_id) {
    throw nameTaken(ctx, proposal, ability_id)
  }
  assertMayChange(existing, request.privileged)
  const lane = effectiveLane(existing)
  if (widerLane(lane, request.lane) === request.lane) return
  throw laneDenied(`The ability is in ${lane}; install the new version into ${lane} or a wider lane.`, {
    install_lane: lane,
  })
}

const LANES_BY_WIDTH = Lanes.options

/** The lane of the two that more users see. */
export const widerLane = (one: OpenLane, other: OpenLane): OpenLane =>
  LANES_BY_WIDTH.indexOf(one) >= LANES_BY_WIDTH.indexOf(other) ? one : other

function assertFreeFolder(ctx: CommandContext, proposal: StoredProposal, abilityId: string): void {
  const namesake = findAbilityIdBySlug(ctx.tx, proposal.proposed_skill_slug)
  if (namesake !== undefined && namesake !== abilityId) throw nameTaken(ctx, proposal, namesake)
}

/** The id of the other ability is included only if the caller may see it. */
function nameTaken({ tx }: CommandContext, proposal: StoredProposal, abilityId: string): Failure {
  const { proposed_skill_slug: skill_slug, owner_user_id } = proposal
  const existing = findAbility(tx, abilityId)
  const isKnown = existing !== undefined && isVisible(existing, owner_user_id)
  return laneDenied(`proposed_skill_slug ${skill_slug} is used by another ability; revise it.`, {
    collision: 'skill_slug',
    skill_slug,
    ...(isKnown ? { ability_id: abilityId } : {}),
  })
}

const laneDenied = (message: string, details: Readonly<Record<string, unknown>>): Failure =>
  new Failure('INSTALL_LANE_DENIED', message, { details })
