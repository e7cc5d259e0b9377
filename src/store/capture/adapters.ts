import type { AdapterKind } from '@apprentice/contracts/learn/observation.ts'
import { flag, text } from '../db/columns.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { listStrings } from '../db/queries.ts'
import { defineTable, type RowOf } from '../db/table.ts'

export const adapters = defineTable(
  'adapters',
  {
    adapter_id: text(),
    kind: text<AdapterKind>(),
    enabled: flag(),
    healthy: flag(),
    last_seen_at: text().optional(),
    last_error_code: text().optional(),
  },
  { key: ['adapter_id'] },
)

export type AdapterRow = RowOf<typeof adapters>

export function listAdapterRows(reader: Reader): AdapterRow[] {
  return sql(reader, 'SELECT * FROM adapters ORDER BY adapter_id').all().map(adapters.decode)
}

export function upsertAdapter(tx: Tx, row: AdapterRow): void {
  adapters.upsert(tx, row)
}

/** Capturing sessions that use a kind of adapter that is not in `healthy`. */
export function listSessionsMissingAdapters(reader: Reader, healthy: readonly AdapterKind[]): string[] {
  return listStrings(
    reader,
    `SELECT learn_session_id FROM learn_sessions
      WHERE state = 'capturing' AND EXISTS (
        SELECT 1 FROM json_each(adapters_armed)
         WHERE value NOT IN (SELECT value FROM json_each(?)))
      ORDER BY learn_session_id`,
    JSON.stringify(healthy),
  )
}
