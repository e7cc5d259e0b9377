import type { AskFirstRecord, AskFirstStatus } from '@apprentice/contracts/connectors/ask-first.ts'
import type { ConnectorPolicyTarget } from '@apprentice/contracts/connectors/policy.ts'
import { columns, json, text } from '../db/columns.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { defineTable, type RowOf } from '../db/table.ts'

export const connectorApprovals = defineTable(
  'connector_approvals',
  {
    ...columns(text(), 'dispatch_id', 'correlation_id', 'user_id', 'server_id'),
    provider: text<AskFirstRecord['provider']>(),
    tool_name: text(),
    action_class: text<AskFirstRecord['action_class']>(),
    ...columns(text(), 'request_summary', 'request_payload_ref'),
    status: text<AskFirstStatus>(),
    paused_dispatch_ref: text(),
    effective_policy_target: json<ConnectorPolicyTarget>(),
    ...columns(text().optional(), 'data_class', 'why_needed', 'session_ref', 'turn_ref', 'project_id'),
    decision: text<'approve_once' | 'approve_until_end_of_turn' | 'approve_for_session' | 'deny'>().optional(),
    ...columns(text().optional(), 'decision_reason', 'approved_by', 'decided_at'),
    ...columns(text(), 'expires_at', 'created_at', 'updated_at'),
  },
  { key: ['dispatch_id'], constants: { schema_version: 1 } },
)

export type ApprovalRow = RowOf<typeof connectorApprovals>

export function insertApproval(tx: Tx, row: ApprovalRow): void {
  connectorApprovals.insert(tx, row)
}

export function findApproval(reader: Reader, id: string): ApprovalRow | undefined {
  return connectorApprovals.find(reader, id)
}

export function updateApproval(tx: Tx, row: ApprovalRow): void {
  connectorApprovals.update(tx, row)
}

/** More are not listed at once: an agent may ask again and again, and nobody decides about so many. */
export const MOST_LISTED = 500

/**
 * Approvals that nobody decided, and those that expired after a time, oldest first. If there are too many, those that wait
 * longest and those that expired last. `user_id` selects those of one user.
 */
export function listPendingApprovals(
  reader: Reader,
  { expired_since, user_id }: { readonly expired_since: string; readonly user_id?: string | undefined },
): ApprovalRow[] {
  const own = '(@user_id IS NULL OR user_id = @user_id)'
  return sql(
    reader,
    `SELECT * FROM (
       SELECT * FROM (SELECT * FROM connector_approvals WHERE status = 'pending' AND ${own}
         ORDER BY created_at, dispatch_id LIMIT @limit)
       UNION ALL
       SELECT * FROM (SELECT * FROM connector_approvals WHERE status = 'expired' AND updated_at > @expired_since AND ${own}
         ORDER BY updated_at DESC, dispatch_id DESC LIMIT @limit)
       LIMIT @limit)
      ORDER BY created_at, dispatch_id`,
  )
    .all({ expired_since, user_id: user_id ?? null, limit: MOST_LISTED })
    .map(connectorApprovals.decode)
}

export function listOverdueApprovals(reader: Reader, now: string, limit: number): ApprovalRow[] {
  return sql(reader, `SELECT * FROM connector_approvals WHERE status = 'pending' AND expires_at <= ? LIMIT ?`)
    .all(now, limit)
    .map(connectorApprovals.decode)
}

export const connectorGrants = defineTable(
  'connector_grants',
  {
    ...columns(text(), 'dispatch_id', 'user_id', 'server_id', 'tool_name'),
    ...columns(text().optional(), 'session_ref', 'turn_ref'),
    expires_at: text(),
  },
  { key: ['dispatch_id'] },
)

export type GrantRow = RowOf<typeof connectorGrants>

export function upsertGrant(tx: Tx, row: GrantRow): void {
  connectorGrants.upsert(tx, row)
}

/** The grants of a user for a tool that have not expired. */
export function listLiveGrants(
  reader: Reader,
  { user_id, server_id, tool_name }: Pick<GrantRow, 'user_id' | 'server_id' | 'tool_name'>,
  now: string,
): GrantRow[] {
  return sql(
    reader,
    `SELECT * FROM connector_grants WHERE user_id = ? AND server_id = ? AND tool_name = ? AND expires_at > ?`,
  )
    .all(user_id, server_id, tool_name, now)
    .map(connectorGrants.decode)
}

export function deleteExpiredGrants(tx: Tx, now: string): number {
  return sql(tx, 'DELETE FROM connector_grants WHERE expires_at <= ?').run(now).changes
}

export function deleteGrantsOfServer(tx: Tx, serverId: string): void {
  sql(tx, 'DELETE FROM connector_grants WHERE server_id = ?').run(serverId)
}
