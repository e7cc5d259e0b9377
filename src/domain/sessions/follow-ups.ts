import type { FollowUp, FollowUpState } from '@apprentice/contracts/learn/follow-ups.ts'
import { Failure } from '../../failure/failure.ts'
import { findAbility } from '../../store/abilities/abilities.ts'
import {
  findFollowUp,
  type FollowUpRow,
  listUnsettledFollowUps,
  upsertFollowUpResult,
} from '../../store/command/follow-ups.ts'
import type { StoredSession } from '../../store/sessions/learn-sessions.ts'
import { abilityNotFound } from '../abilities/registry.ts'
import type { CommandContext } from '../command/context.ts'
import { recordEvent } from '../command/ledger.ts'
import { createLearnSession } from './create-session.ts'
import type { SlotRule } from './session-machine.ts'
import { markBoundary } from './session-moves.ts'

export const toFollowUp = ({ outbox_id: follow_up_id, ...row }: FollowUpRow): FollowUp => ({
  follow_up_id,
  ...(Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)) as Omit<FollowUp, 'follow_up_id'>),
})

type Result = Exclude<FollowUpState, 'open'>

/** Notes what became of the unsettled follow-ups of an ability. */
export function resolveFollowUps(
  ctx: CommandContext,
  abilityId: string,
  { result, source_ref, checkpoint_id }: { result: Result; source_ref?: string | undefined; checkpoint_id?: string },
): string[] {
  const open = listUnsettledFollowUps(ctx.tx, abilityId).filter(
    (entry) => entry.state !== result && (checkpoint_id === undefined || entry.checkpoint_id === checkpoint_id),
  )
  for (const { outbox_id } of open) saveResult(ctx, outbox_id, { result, source_ref })
  return open.map(({ outbox_id }) => outbox_id)
}

export function dismissFollowUp(ctx: CommandContext, followUpId: string, note: string): FollowUp {
  const { outbox_id } = getUnsettled(ctx, followUpId)
  saveResult(ctx, outbox_id, { result: 'dismissed', note })
  return toFollowUp(getFollowUp(ctx, followUpId))
}

/** Starts a session that improves the ability where its checkpoint was missed. */
export function startRepair(
  ctx: CommandContext,
  followUpId: string,
  rules: { rule: SlotRule; salt: string },
): { session: StoredSession; follow_ups: FollowUp[] } {
  const { ability_id, checkpoint_id, summary } = getUnsettled(ctx, followUpId)
  const ability = ability_id === null ? undefined : findAbility(ctx.tx, ability_id)
  if (ability?.owner_user_id !== ctx.actor.user_id) throw abilityNotFound(ability_id ?? '')
  const session = createLearnSession(
    ctx,
    {
      entry_mode: 'improving_existing_skill',
      observation_mode: 'outside_agent',
      target_skill_id: ability.ability_id,
    },
    rules,
  )
  const { learn_session_id } = session
  markBoundary(ctx, learn_session_id, { kind: 'mark_goal', label: ability.title.slice(0, 400) })
  markBoundary(ctx, learn_session_id, {
    kind: 'mark_step',
    // Inferred steps are not used in drafts.
    source: 'system_inferred',
    label: summary.slice(0, 400),
    step_kind_hint: 'other',
  })
  const source_ref = `learn_session:${learn_session_id}`
  const taken = resolveFollowUps(ctx, ability.ability_id, { result: 'repair_started', source_ref, checkpoint_id })
  return { session, follow_ups: taken.map((id) => toFollowUp(getFollowUp(ctx, id))) }
}

function saveResult(
  ctx: CommandContext,
  outbox_id: string,
  { result, source_ref, note }: { result: Result; source_ref?: string | undefined; note?: string | undefined },
): void {
  upsertFollowUpResult(ctx.tx, {
    outbox_id,
    result,
    source_ref,
    note,
    decided_by: ctx.actor.user_id,
    decided_at: ctx.now,
  })
  recordEvent(ctx, `follow_up/${outbox_id}`, 'learn.follow_up.changed', { outbox_id, state: result })
}

function getFollowUp(ctx: CommandContext, followUpId: string): FollowUpRow {
  const found = findFollowUp(ctx.tx, ctx.actor.user_id, followUpId)
  if (found === undefined) throw new Failure('FOLLOW_UP_NOT_FOUND', `No follow-up ${followUpId}.`)
  return found
}

function getUnsettled(ctx: CommandContext, followUpId: string): FollowUpRow {
  const found = getFollowUp(ctx, followUpId)
  if (found.state === 'open') return found
  throw new Failure('FOLLOW_UP_SETTLED', `The follow-up is no longer open but ${found.state}.`, {
    details: { state: found.state },
  })
}
