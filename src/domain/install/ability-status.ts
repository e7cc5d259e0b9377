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

export interface StatusChange {
  readonly ability_id: string
  readonly is_admin: boolean
}

/** Each status change is idempotent: repeating it changes nothing and records another receipt. */
export function setEnabled(ctx: CommandContext, change: StatusChange, enabled: boolean): AbilityRow | Failure {
  const ability = getChangeable(ctx, change)
  if (enabled) assertNotQuarantined(ability)
  const isNew = ability.enabled !== enabled
  const after = isNew ? saveAbility(ctx, { ...ability, enabled }, { enabled }) : ability
  return recordStatusChange(ctx, after, {
    kind: enabled ? 'ability.activated' : 'ability.deactivated',
    event: isNew ? (enabled ? 'ability.route.enabled' : 'ability.route.disabled') : undefined,
    summary: `${ability.title} was switched ${enabled ? 'on' : 'off'}.`,
  })
}

export function quarantine(ctx: CommandContext, change: StatusChange, reason: string): AbilityRow | Failure {
  const ability = getChangeable(ctx, change)
  const isNew = ability.install_lane !== 'quarantined'
  const after = changeLane(ctx, ability.ability_id, 'quarantined')
  if (ability.primary_capability_id !== undefined) {
    quarantineWithAbility(ctx, ability.primary_capability_id)
  }
  return recordStatusChange(ctx, after, {
    kind: 'ability.quarantined',
    event: isNew ? 'ability.quarantined' : undefined,
    summary: `${ability.title} was quarantined.`,
    reason,
  })
}

/** Restores the lane from before the quarantine. `enabled` does not change. */
export function unquarantine(ctx: CommandContext, change: StatusChange): AbilityRow | Failure {
  const ability = getChangeable(ctx, change)
  const isNew = ability.install_lane === 'quarantined'
  const lane = ability.prior_lane ?? 'experimental_private'
  const after = isNew ? changeLane(ctx, ability.ability_id, lane) : ability
  if (ability.primary_capability_id !== undefined) {
    releaseWithAbility(ctx, ability.primary_capability_id)
  }
  return recordStatusChange(ctx, after, {
    kind: 'ability.unquarantined',
    event: isNew ? 'ability.unquarantined' : undefined,
    summary: `${ability.title} was released from quarantine.`,
  })
}

/** Shares an ability with all users and approves the session and proposal it came from. */
export function promoteShared(ctx: CommandContext, change: StatusChange): AbilityRow | Failure {
  const ability = getChangeable(ctx, change)
  assertNotQuarantined(ability)
  if (ability.source === 'native') throw laneDenied('A native ability cannot be promoted.')
  const isNew = ability.install_lane !== 'shared_promoted'
  const after = changeLane(ctx, ability.ability_id, 'shared_promoted')
  if (isNew) approveOrigin(ctx, ability)
  return recordStatusChange(ctx, after, {
    kind: 'ability.promoted',
    event: isNew ? 'ability.promoted' : undefined,
    summary: `${ability.title} is shared with all users.`,
  })
}

function getChangeable(ctx: CommandContext, { ability_id, is_admin }: StatusChange): AbilityRow {
  const ability = getVisibleAbility(ctx.tx, ability_id, ctx.actor.user_id)
  assertMayChange(ability, is_admin)
  return ability
}

function assertNotQuarantined({ install_lane }: AbilityRow): void {
  if (install_lane === 'quarantined') throw laneDenied('The ability is quarantined; release it first.')
}

const laneDenied = (message: string): Failure => new Failure('INSTALL_LANE_DENIED', message)

function approveOrigin(ctx: CommandContext, { proposal_id, learn_session_id }: AbilityRow): void {
  const install_lane = 'shared_promoted' as const
  const proposal = proposal_id === undefined ? undefined : findProposal(ctx.tx, proposal_id)
  if (proposal?.proposal_state === 'installed_private') {
    moveProposal(ctx, proposal, 'approved', { reason: 'promoted', changes: { install_lane } })
    return
  }
  if (proposal !== undefined) saveProposal(ctx, proposal, { install_lane })
  const session = learn_session_id === undefined ? undefined : findLearnSession(ctx.tx, learn_session_id)
  if (session?.state === 'installed_private') {
    moveSession(ctx, session, ['approved'], { reason: 'promoted' })
  }
}

interface StatusRecord {
  readonly kind: ReceiptKind
  /** Undefined when nothing changed. */
  readonly event: AbilityEventKind | undefined
  readonly summary: string
  readonly reason?: string
}

/** Returns the failure of the bridge rebuild, if any. The status change is kept in that case. */
function recordStatusChange(ctx: CommandContext, ability: AbilityRow, record: StatusRecord): AbilityRow | Failure {
  const { ability_id, install_lane, enabled, learn_session_id, proposal_id } = ability
  const reason = record.reason === undefined ? {} : { reason: record.reason }
  if (record.event !== undefined) {
    recordAbilityEvent(ctx, ability, record.event, { install_lane, enabled, ...reason })
  }
  recordReceipt(ctx, record.kind, {
    ability_id,
    ...(learn_session_id === undefined ? {} : { learn_session_id }),
    ...(proposal_id === undefined ? {} : { proposal_id }),
    summary: record.summary,
    ...reason,
    details: { install_lane, enabled, changed: record.event !== undefined },
  })
  const bridge = rebuildBridge(ctx, ability)
  refreshAvailability(ctx, record.kind, { ability_ids: [ability_id] })
  return bridge instanceof Failure ? bridge : ability
}
