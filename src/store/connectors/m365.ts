import { columns, flag, list, text } from '../db/columns.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { defineTable, type RowOf } from '../db/table.ts'

export const connectorM365 = defineTable(
  'connector_m365',
  {
    server_id: text(),
    requested_scopes: list(),
    ...columns(flag(), 'verified_obo_chain', 'allow_background_service_ops'),
  },
  { key: ['server_id'] },
)

export type M365Row = RowOf<typeof connectorM365>

export function findM365(reader: Reader, serverId: string): M365Row | undefined {
  return connectorM365.find(reader, serverId)
}

export function upsertM365(tx: Tx, row: M365Row): void {
  connectorM365.upsert(tx, row)
}

export function deleteM365(tx: Tx, serverId: string): void {
  sql(tx, 'DELETE FROM connector_m365 WHERE server_id = ?').run(serverId)
}
