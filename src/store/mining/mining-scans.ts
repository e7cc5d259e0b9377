import type { MiningScan } from '@apprentice/contracts/learn/mining.ts'
import { json, text } from '../db/columns.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { findString } from '../db/queries.ts'
import { defineTable, type RowOf } from '../db/table.ts'

export const miningScans = defineTable(
  'mining_scans',
  {
    scan_id: text(),
    asked_by: text().immutable(),
    occasion: text<'asked' | 'nightly'>().immutable(),
    state: text<'running' | 'finished' | 'failed'>(),
    result: json<MiningScan | { readonly reason: string }>().optional(),
    started_at: text().immutable(),
    finished_at: text().optional(),
  },
  { key: ['scan_id'] },
)

export type ScanRow = RowOf<typeof miningScans>

export function upsertScan(tx: Tx, scan: ScanRow): void {
  miningScans.upsert(tx, scan)
}

/** At start, these are the scans that a stopped daemon did not finish. */
export function listRunningScans(reader: Reader): ScanRow[] {
  return sql(reader, `SELECT * FROM mining_scans WHERE state = 'running'`).all().map(miningScans.decode)
}

/** When the last finished scan of this occasion was started. */
export function findLastScanTime(reader: Reader, occasion: ScanRow['occasion']): string | undefined {
  return findString(
    reader,
    `SELECT started_at FROM mining_scans WHERE occasion = ? AND state = 'finished'
      ORDER BY started_at DESC LIMIT 1`,
    occasion,
  )
}
