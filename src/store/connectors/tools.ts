import { json, text } from '../db/columns.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { defineTable, type RowOf } from '../db/table.ts'

export const connectorTools = defineTable(
  'connector_tools',
  {
    server_id: text(),
    tool_name: text(),
    title: text().optional(),
    description: text().optional(),
    input_schema: json<Record<string, unknown>>(),
    annotations: json<Record<string, unknown>>(),
  },
  { key: ['server_id', 'tool_name'] },
)

export type ToolRow = RowOf<typeof connectorTools>

export function listTools(reader: Reader, serverId: string): ToolRow[] {
  return sql(reader, 'SELECT * FROM connector_tools WHERE server_id = ? ORDER BY tool_name')
    .all(serverId)
    .map(connectorTools.decode)
}

export function findTool(reader: Reader, serverId: string, toolName: string): ToolRow | undefined {
  return connectorTools.find(reader, serverId, toolName)
}

export function replaceTools(tx: Tx, serverId: string, rows: readonly ToolRow[]): void {
  deleteTools(tx, serverId)
  for (const row of rows) connectorTools.upsert(tx, row)
}

export function deleteTools(tx: Tx, serverId: string): void {
  sql(tx, 'DELETE FROM connector_tools WHERE server_id = ?').run(serverId)
}
