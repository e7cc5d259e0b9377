import type { ReceiptKind } from '@apprentice/contracts/learn/receipts.ts'
import { Failure } from '../../failure/failure.ts'
import type { AbilityRow } from '../../store/abilities/abilities.ts'
import { findLearnSession } from '../../store/sessions/learn-sessions.ts'
import { findProposal } from '../../store/proposals/proposals.ts'
import type { CommandContext } from '../command/context.ts'
import { rebuildBridge } from '../capabilities/bridge.ts'
import { quarantineWithAbility, releaseWithAbility } from '../capabilities/quarantine.ts'
import { moveProposal, saveProposal } from '../proposals/moves.ts'
import { moveSession } from '../sessions/session-moves.ts'
import { recordReceipt } from '../command/ledger.ts'
import { type AbilityEventKind, recordAbilityEvent } from '../abilities/ability-events.ts'
import { refreshAvailability } from '../abilities/availability.ts'
import { changeLane, saveAbility } from '../abilities/registry.ts'
import { assertMayChange, getVisibleAbility } from '../abilities/visibility.ts'

/** Which ability, and whether the caller runs the house. */
export interface StandingAsked {
  readonly ability_id: string
  readonly is_admin: boolean
}

/** All of these may be said again: what is so already stays so, and is put on record once more. */
export function setEnabled(
  ctx: CommandContext,
  asked: StandingAsked,
  enabled: boolean,
): AbilityRow | Failure {
  const ability = getChangeable(ctx, asked)
  if (enabled) assertNotQuarantined(ability)
  const isNew = ability.enabled !== enabled
  const after = isNew ? saveAbility(ctx, { ...ability, enabled }, { enabled }) : ability
  return conclude(ctx, after, {
    kind: enabled ? 'ability.activated' : 'ability.deactivated',
    event: isNew ? (enabled ? 'ability.route.enabled' : 'ability.route.disabled') : undefined,
    summary: `${ability.title} was switched ${enabled ? 'on' : 'off'}.`,
  })
}

export function quarantine(
  ctx: CommandContext,
  asked: StandingAsked,
  reason: string,
): AbilityRow | Failure {
  const ability = getChangeable(ctx, asked)
  const isNew = ability.install_lane !== 'quarantined'
  const after = changeLane(ctx, ability.ability_id, 'quarantined')
  if (ability.primary_capability_id !== undefined) {
    quarantineWithAbility(ctx, ability.primary_capability_id)
  }
  return conclude(ctx, after, {
    kind: 'ability.quarantined',
    event: isNew ? 'ability.quarantined' : undefined,
    summary: `${ability.title} was taken out of use.`,
    reason,
  })
}

/** Back to the lane it had; whether it is switched on does not change. */
export function unquarantine(ctx: CommandContext, asked: StandingAsked): AbilityRow | Failure {
  const ability = getChangeable(ctx, asked)
  const isNew = ability.install_lane === 'quarantined'
  const lane = ability.prior_lane ?? 'experimental_private'
  const after = isNew ? changeLane(ctx, ability.ability_id, lane) : ability
  if (ability.primary_capability_id !== undefined) {
    releaseWithAbility(ctx, ability.primary_capability_id)
  }
  return conclude(ctx, after, {
    kind: 'ability.unquarantined',
    event: isNew ? 'ability.unquarantined' : undefined,
    summary: `${ability.title} is back in use.`,
  })
}

/** What only its owner had becomes everybody's; the session it was learnt in is then approved. */
export function promoteShared(ctx: CommandContext, asked: StandingAsked): AbilityRow | Failure {
  const ability = getChangeable(ctx, asked)
  assertNotQuarantined(ability)
  if (ability.source === 'native') throw denied('What comes with the runtime is not promoted.')
  const isNew = ability.install_lane !== 'shared_promoted'
  const after = changeLane(ctx, ability.ability_id, 'shared_promoted')
  if (isNew) approveOrigin(ctx, ability)
  return conclude(ctx, after, {
    kind: 'ability.promoted',
    event: isNew ? 'ability.promoted' : undefined,
    summary: `${ability.title} is shared with everybody.`,
  })
}

function getChangeable(ctx: CommandContext, { ability_id, is_admin }: StandingAsked): AbilityRow {
  const ability = getVisibleAbility(ctx.tx, ability_id, ctx.actor.user_id)
  assertMayChange(ability, is_admin)
  return ability
}

function assertNotQuarantined({ install_lane }: AbilityRow): void {
  if (install_lane === 'quarantined') throw denied('The ability is quarantined.')
}

const denied = (message: string): Failure => new Failure('INSTALL_LANE_DENIED', message)

function approveOrigin(ctx: CommandContext, { proposal_id, learn_session_id }: AbilityRow): void {
  const install_lane = 'shared_promoted' as const
  const proposal = proposal_id === undefined ? undefined : findProposal(ctx.tx, proposal_id)
  if (proposal?.proposal_state === 'installed_private') {
    moveProposal(ctx, proposal, 'approved', { reason: 'promoted', changes: { install_lane } })
    return
  }
  if (proposal !== undefined) saveProposal(ctx, proposal, { install_lane })
  const session =
    learn_session_id === undefined ? undefined : findLearnSession(ctx.tx, learn_session_id)
  if (session?.state === 'installed_private') {
    moveSession(ctx, session, ['approved'], { reason: 'promoted' })
  }
}

interface Conclusion {
  readonly kind: ReceiptKind
  /** Undefined when nothing changed. */
  readonly event: AbilityEventKind | undefined
  readonly summary: string
  readonly reason?: string
}

/** A bridge that cannot be built is answered, but undoes nothing: what was decided stands. */
function conclude(
  ctx: CommandContext,
  ability: AbilityRow,
  said: Conclusion,
): AbilityRow | Failure {
  const { ability_id, install_lane, enabled, learn_session_id, proposal_id } = ability
  const reason = said.reason === undefined ? {} : { reason: said.reason }
  if (said.event !== undefined) {
    recordAbilityEvent(ctx, ability, said.event, { install_lane, enabled, ...reason })
  }
  recordReceipt(ctx, said.kind, {
    ability_id,
    ...(learn_session_id === undefined ? {} : { learn_session_id }),
    ...(proposal_id === undefined ? {} : { proposal_id }),
    summary: said.summary,
    ...reason,
    details: { install_lane, enabled, changed: said.event !== undefined },
  })
  const bridge = rebuildBridge(ctx)
  refreshAvailability(ctx, said.kind, { ability_ids: [ability_id] })
  return bridge instanceof Failure ? bridge : ability
}
