import type { AskFirstDecision, AskFirstRecord, AskFirstStatus } from '@apprentice/contracts/connectors/ask-first.ts'
import { Failure } from '../../failure/failure.ts'
import * as store from '../../store/connectors/approvals.ts'
import { findDispatch } from '../../store/connectors/dispatches.ts'
import type { Reader } from '../../store/db/db.ts'
import type { CommandContext } from '../command/context.ts'
import { recordEvent } from '../command/ledger.ts'
import { endDispatch } from './dispatch-outcomes.ts'
import { setDispatch } from './dispatch-rows.ts'
import { queueDispatch } from './dispatches.ts'
import { recordConnectorReceipt } from './registry/receipts.ts'

type Decision = 'approve_once' | 'approve_until_end_of_turn' | 'approve_for_session' | 'deny'

const STATUS_AFTER: Readonly<Record<Decision, AskFirstStatus>> = {
  approve_once: 'approved_once',
  approve_until_end_of_turn: 'approved_until_end_of_turn',
  approve_for_session: 'approved_for_session',
  deny: 'denied',
}
const TURN_GRANT_MS = 10 * 60_000
const SESSION_GRANT_MS = 12 * 3_600_000
const SHOWN_AFTER_EXPIRY_MS = 24 * 3_600_000
const BATCH_SIZE = 100
/** Later than any time, so that no expired call is listed. */
const NEVER = '9999'

/** Calls that wait for a decision, and those that expired in the last 24 hours. Only administrators see those of others. */
export function listApprovals(
  reader: Reader,
  { user_id, is_admin, now }: { readonly user_id: string; readonly is_admin: boolean; readonly now: string },
): AskFirstRecord[] {
  const expired_since = new Date(Date.parse(now) - SHOWN_AFTER_EXPIRY_MS).toISOString()
  return store
    .listPendingApprovals(reader, { expired_since, user_id: is_admin ? undefined : user_id })
    .map((row) => toRecord(row.status === 'pending' && row.expires_at <= now ? { ...row, status: 'expired' } : row))
}

/** All calls that wait for a decision. */
export const listOpenApprovals = (reader: Reader): AskFirstRecord[] =>
  store.listPendingApprovals(reader, { expired_since: NEVER }).map(toRecord)

/** Decides about a call. The same decision again gets the same answer. */
export function decideApproval(
  ctx: CommandContext,
  dispatchId: string,
  { decision, reason }: { readonly decision: Decision; readonly reason?: string | undefined },
): AskFirstDecision | Failure {
  const row = store.findApproval(ctx.tx, dispatchId)
  if (row === undefined) throw new Failure('MCP_ASK_FIRST_NOT_FOUND', 'No call with this id was asked about.')
  if (row.status === 'expired') throw expired()
  if (row.status === 'pending' && row.expires_at <= ctx.now) {
    expireApproval(ctx, row)
    return expired()
  }
  if (row.status !== 'pending') return repeatDecision(row, decision)
  const own = { ...ctx, correlation_id: row.correlation_id }
  const decided = setApproval(own, {
    ...row,
    status: STATUS_AFTER[decision],
    decision,
    decision_reason: reason,
    approved_by: (ctx.actor.operator ?? ctx.actor.user_id).slice(0, 160),
    decided_at: ctx.now,
  })
  if (decision === 'deny') endDispatch(own, dispatchId, { status: 'denied', error_code: 'ask_first_denied' })
  else resumeDispatch(own, decided, decision)
  const receipt_id = recordConnectorReceipt(own, 'ask_first_decision', {
    server_id: row.server_id,
    status: decision === 'deny' ? 'blocked' : 'ok',
    summary: `${decision}: ${row.request_summary}`.slice(0, 500),
  })
  return { dispatch: toRecord(decided), resumed: decision !== 'deny', receipt_id, schema_version: 1 }
}

/** The job is queued in the transaction of the decision, so that the call is made once, also after a kill. */
function resumeDispatch(ctx: CommandContext, row: store.ApprovalRow, decision: Decision): void {
  const dispatch = findDispatch(ctx.tx, row.dispatch_id)
  if (dispatch === undefined) return
  const { dispatch_id, user_id, server_id, tool_name, session_ref, turn_ref } = row
  const key = { dispatch_id, user_id, server_id, tool_name }
  const later = (ms: number): string => new Date(Date.parse(ctx.now) + ms).toISOString()
  if (decision === 'approve_until_end_of_turn' && turn_ref !== undefined) {
    store.upsertGrant(ctx.tx, { ...key, turn_ref, expires_at: later(TURN_GRANT_MS) })
  }
  if (decision === 'approve_for_session' && session_ref !== undefined) {
    store.upsertGrant(ctx.tx, { ...key, session_ref, expires_at: later(SESSION_GRANT_MS) })
  }
  setDispatch(ctx, { ...dispatch, status: 'queued' })
  queueDispatch(ctx, dispatch)
}

function repeatDecision(row: store.ApprovalRow, decision: Decision): AskFirstDecision {
  if (row.decision === decision) {
    return { dispatch: toRecord(row), resumed: decision !== 'deny', schema_version: 1 }
  }
  throw new Failure('MCP_ASK_FIRST_ALREADY_DECIDED', `This call is ${row.status}.`, { details: { status: row.status } })
}

/** The runtime has taken up an approved call. */
export function acknowledgeResume(ctx: CommandContext, dispatchId: string): void {
  const row = store.findApproval(ctx.tx, dispatchId)
  if (row?.status.startsWith('approved_') === true) setApproval(ctx, { ...row, status: 'resumed' })
}

/** Withdraws a call that waits for a decision. Returns false if it does not wait. */
export function withdrawApproval(ctx: CommandContext, dispatchId: string): boolean {
  const row = store.findApproval(ctx.tx, dispatchId)
  if (row?.status !== 'pending') return false
  setApproval(ctx, { ...row, status: 'cancelled' })
  endDispatch(ctx, dispatchId, { status: 'cancelled', error_code: 'cancelled' })
  return true
}

/** Ends calls that nobody decided in time, and deletes expired grants. Returns how many calls were ended. */
export function sweepApprovals(ctx: CommandContext): number {
  const overdue = store.listOverdueApprovals(ctx.tx, ctx.now, BATCH_SIZE)
  for (const row of overdue) expireApproval(ctx, row)
  store.deleteExpiredGrants(ctx.tx, ctx.now)
  return overdue.length
}

function expireApproval(ctx: CommandContext, row: store.ApprovalRow): void {
  const own = { ...ctx, correlation_id: row.correlation_id }
  setApproval(own, { ...row, status: 'expired' })
  endDispatch(own, row.dispatch_id, { status: 'expired', error_code: 'ask_first_expired' })
}

function setApproval(ctx: CommandContext, row: store.ApprovalRow): store.ApprovalRow {
  const updated = { ...row, updated_at: ctx.now }
  store.updateApproval(ctx.tx, updated)
  const { server_id, dispatch_id, status } = updated
  recordEvent(ctx, `connector/${server_id}`, 'mcp.approval.changed', { dispatch_id, status })
  return updated
}

const expired = (): Failure =>
  new Failure('MCP_ASK_FIRST_EXPIRED', 'Nobody decided about this call in time. It has to be made again.')

const toRecord = ({ user_id: _u, decision: _d, ...record }: store.ApprovalRow): AskFirstRecord => record
