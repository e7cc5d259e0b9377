import type { ConnectorServer } from '@apprentice/contracts/connectors/server.ts'
import { text } from '../db/columns.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { defineTable, type RowOf } from '../db/table.ts'
import { connectorServers } from './servers.ts'

export const connectorProbes = defineTable(
  'connector_probes',
  { server_id: text(), next_probe_at: text(), last_probe_at: text().optional() },
  { key: ['server_id'] },
)

export type ProbeRow = RowOf<typeof connectorProbes>

export const findProbe = (reader: Reader, serverId: string): ProbeRow | undefined =>
  connectorProbes.find(reader, serverId)

export function upsertProbe(tx: Tx, row: ProbeRow): void {
  connectorProbes.upsert(tx, row)
}

export function deleteProbe(tx: Tx, serverId: string): void {
  sql(tx, 'DELETE FROM connector_probes WHERE server_id = ?').run(serverId)
}

/** Enabled servers that have never been scheduled, or whose time has come. */
export function listServersToProbe(reader: Reader, now: string, limit: number): ConnectorServer[] {
  return sql(
    reader,
    `SELECT connector_servers.* FROM connector_servers LEFT JOIN connector_probes USING (server_id)
      WHERE enabled = 1 AND active_build_surface = 1 AND supports_smoke_test = 1
        AND (next_probe_at IS NULL OR next_probe_at <= ?)
      ORDER BY next_probe_at LIMIT ?`,
  )
    .all(now, limit)
    .map(connectorServers.decode)
}
