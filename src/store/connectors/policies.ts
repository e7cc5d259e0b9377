import type { ConnectorPolicyDecision, ConnectorPolicyTarget } from '@apprentice/contracts/connectors/policy.ts'
import { json, text } from '../db/columns.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { defineTable, type RowOf } from '../db/table.ts'

export const connectorPolicies = defineTable(
  'connector_policies',
  { target_key: text(), target: json<ConnectorPolicyTarget>(), decision: json<ConnectorPolicyDecision>() },
  { key: ['target_key'] },
)

export type ConnectorPolicyRow = RowOf<typeof connectorPolicies>

export function listDecisions(reader: Reader): ConnectorPolicyRow[] {
  return sql(reader, 'SELECT * FROM connector_policies ORDER BY target_key').all().map(connectorPolicies.decode)
}

export function upsertDecision(tx: Tx, row: ConnectorPolicyRow): void {
  connectorPolicies.upsert(tx, row)
}

export function deleteDecision(tx: Tx, targetKey: string): void {
  sql(tx, 'DELETE FROM connector_policies WHERE target_key = ?').run(targetKey)
}

/** Deletes the decisions for a server and for its tools. */
export function deleteDecisionsOfServer(tx: Tx, serverId: string): void {
  sql(tx, `DELETE FROM connector_policies WHERE json_extract(target, '$.server_id') = ?`).run(serverId)
}
