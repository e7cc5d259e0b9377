import type { z } from 'zod'
import type { CheckpointReceipt, verifyCheckpoint } from '@apprentice/contracts/learn/receipts.ts'
import { findAbility } from '../../store/abilities/abilities.ts'
import { appendCheckpointReceipt, hasCheckpoint } from '../../store/abilities/checkpoint-receipts.ts'
import type { StoredSession } from '../../store/sessions/learn-sessions.ts'
import { appendOutboxEntry, type OutboxEntry } from '../../store/command/outbox.ts'
import { isVisible } from '../abilities/visibility.ts'
import { refreshCheckpointHealth } from '../abilities/checkpoint-health.ts'
import type { CommandContext } from '../command/context.ts'
import { recordEvent, recordSessionEvent } from '../command/ledger.ts'
import { truncate, maskText } from '../../knowledge/redaction/masking.ts'
import { getOwnSession } from './session-moves.ts'

type Report = z.infer<(typeof verifyCheckpoint)['body']>

/**
 * Records a checkpoint report of an agent. Reports are optional and never change the state of a session. A report
 * about an unknown checkpoint is stored with `unknown_checkpoint` set.
 */
export function recordCheckpoint(ctx: CommandContext, report: Report): CheckpointReceipt {
  const session = report.learn_session_id === undefined ? undefined : getOwnSession(ctx, report.learn_session_id)
  const receipt = toReceipt(ctx, report, session)
  appendCheckpointReceipt(ctx.tx, ctx.actor.user_id, receipt)
  recordCheckpointEvent(ctx, receipt)
  if (receipt.ability_id !== undefined) refreshCheckpointHealth(ctx, receipt.ability_id)
  if (receipt.status !== 'reached') appendFollowUp(ctx, receipt, FOLLOW_UPS[receipt.status])
  return receipt
}

function toReceipt(ctx: CommandContext, report: Report, session: StoredSession | undefined): CheckpointReceipt {
  const { checkpoint_id, status, evidence = '', reason, dispatch_id } = report
  const ability_id = report.ability_id ?? session?.ability_id
  const interpretation_id = session?.interpretation_id
  const proposal_id = session?.proposal_id
  return {
    checkpoint_receipt_id: ctx.newId(),
    checkpoint_id,
    status,
    evidence: truncate(maskText(evidence), 1000),
    ...(reason === undefined ? {} : { reason: truncate(maskText(reason), 500) }),
    ...(session === undefined ? {} : { learn_session_id: session.learn_session_id }),
    ...(dispatch_id === undefined ? {} : { dispatch_id }),
    ...(ability_id === undefined ? {} : { ability_id }),
    ...(proposal_id === undefined ? {} : { proposal_id }),
    unknown_checkpoint: !hasCheckpoint(ctx.tx, checkpoint_id, {
      interpretation_id,
      ability_id: seesAbility(ctx, ability_id) ? ability_id : undefined,
    }),
    created_at: ctx.now,
    schema_version: 1,
  }
}

/** A report about an ability that the user does not see counts for nothing. */
function seesAbility(ctx: CommandContext, abilityId = ''): boolean {
  const ability = findAbility(ctx.tx, abilityId)
  return ability === undefined || isVisible(ability, ctx.actor.user_id)
}

function recordCheckpointEvent(ctx: CommandContext, receipt: CheckpointReceipt): void {
  const { checkpoint_receipt_id, checkpoint_id, status, evidence, reason, proposal_id } = receipt
  const payload = {
    checkpoint_id,
    evidence,
    ...(reason === undefined ? {} : { reason }),
    ...(proposal_id === undefined ? {} : { proposal_id }),
    unknown_checkpoint: receipt.unknown_checkpoint,
  }
  const kind = `checkpoint.${status}` as const
  const ref = `checkpoint_receipt:${checkpoint_receipt_id}`
  if (receipt.learn_session_id === undefined) recordEvent(ctx, ref, kind, payload)
  else recordSessionEvent(ctx, receipt.learn_session_id, kind, { ref, payload })
}

/** The outbox target for each checkpoint status that needs a follow-up. */
const FOLLOW_UPS = {
  skipped: { target: 'doc8', kind: 'friction.checkpoint_skipped' },
  failed: { target: 'doc9', kind: 'repair.checkpoint_failed' },
} as const

function appendFollowUp(
  ctx: CommandContext,
  receipt: CheckpointReceipt,
  to: Pick<OutboxEntry, 'target' | 'kind'>,
): void {
  const { checkpoint_receipt_id, checkpoint_id, status, reason, ability_id, dispatch_id } = receipt
  appendOutboxEntry(ctx.tx, {
    outbox_id: ctx.newId(),
    ...to,
    checkpoint_receipt_id,
    ability_id,
    dispatch_id,
    summary: truncate(`Checkpoint ${checkpoint_id} ${status}: ${reason ?? 'no reason given'}`, 500),
    created_at: ctx.now,
  })
}
