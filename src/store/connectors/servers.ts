import type { ConnectorServer } from '@apprentice/contracts/connectors/server.ts'
import type { HealthRecord } from '../../knowledge/connectors/connection-health.ts'
import { columns, flag, json, list, text } from '../db/columns.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { listStrings, readNumber } from '../db/queries.ts'
import { defineTable } from '../db/table.ts'

export const connectorServers = defineTable(
  'connector_servers',
  {
    server_id: text(),
    provider: text<ConnectorServer['provider']>(),
    display_name: text(),
    endpoint_url: text().optional(),
    transport: text<ConnectorServer['transport']>(),
    interaction_mode: text<ConnectorServer['interaction_mode']>(),
    ...columns(text().optional(), 'auth_profile_id', 'protocol_revision', 'tool_schema_hash'),
    rate_limit_profile: text<ConnectorServer['rate_limit_profile']>(),
    ...columns(list(), 'data_classes', 'supported_tools'),
    ...columns(flag(), 'enabled', 'active_build_surface', 'supports_smoke_test'),
    ...columns(text(), 'created_at', 'updated_at'),
  },
  { key: ['server_id'], constants: { schema_version: 1 } },
)

export const connectorHealth = defineTable(
  'connector_health',
  { server_id: text(), record: json<HealthRecord>() },
  { key: ['server_id'] },
)

/** The server that is a part of the program comes last. */
export function listServers(reader: Reader): ConnectorServer[] {
  return sql(reader, "SELECT * FROM connector_servers ORDER BY server_id = 'acrobat', display_name, server_id")
    .all()
    .map(connectorServers.decode)
}

/** Whether any registered server may be called at all. Documents have routes of their own. */
export const hasUsableServer = (reader: Reader): boolean =>
  readNumber(
    reader,
    `SELECT EXISTS (
       SELECT 1 FROM connector_servers
        WHERE enabled = 1 AND active_build_surface = 1 AND transport <> 'provider_native'
          AND server_id <> 'acrobat')`,
  ) === 1

export function findServer(reader: Reader, serverId: string): ConnectorServer | undefined {
  return connectorServers.find(reader, serverId)
}

export function upsertServer(tx: Tx, server: ConnectorServer): void {
  connectorServers.upsert(tx, server)
}

export function deleteServer(tx: Tx, serverId: string): void {
  sql(tx, 'DELETE FROM connector_servers WHERE server_id = ?').run(serverId)
}

export function listServersWithProfile(reader: Reader, authProfileId: string): string[] {
  return listStrings(
    reader,
    'SELECT server_id FROM connector_servers WHERE auth_profile_id = ? ORDER BY server_id',
    authProfileId,
  )
}

export function findHealth(reader: Reader, serverId: string): HealthRecord | undefined {
  return connectorHealth.find(reader, serverId)?.record
}

export function upsertHealth(tx: Tx, serverId: string, record: HealthRecord): void {
  connectorHealth.upsert(tx, { server_id: serverId, record })
}

export function deleteHealth(tx: Tx, serverId: string): void {
  sql(tx, 'DELETE FROM connector_health WHERE server_id = ?').run(serverId)
}
