import type { MiningScan } from '@apprentice/contracts/learn/mining.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { bindable, present, type Row } from '../db/row.ts'

export interface ScanRow {
  readonly scan_id: string
  readonly asked_by: string
  readonly occasion: 'asked' | 'nightly'
  readonly state: 'running' | 'finished' | 'failed'
  readonly result?: MiningScan | { readonly reason: string } | undefined
  readonly started_at: string
  readonly finished_at?: string | undefined
}

export function putScan(tx: Tx, scan: ScanRow): void {
  sql(
    tx,
    `INSERT INTO mining_scans (scan_id, asked_by, occasion, state, result, started_at, finished_at)
     VALUES (@scan_id, @asked_by, @occasion, @state, @result, @started_at, @finished_at)
     ON CONFLICT (scan_id) DO UPDATE
       SET state = excluded.state, result = excluded.result, finished_at = excluded.finished_at`,
  ).run(
    bindable({
      finished_at: undefined,
      ...scan,
      result: scan.result === undefined ? undefined : JSON.stringify(scan.result),
    }),
  )
}

/** Scans a daemon went away under. */
export function listRunningScans(reader: Reader): ScanRow[] {
  return sql(reader, `SELECT * FROM mining_scans WHERE state = 'running'`).all().map(toScan)
}

/** When a scan of this kind last came to its end. */
export function lastScanAt(reader: Reader, occasion: ScanRow['occasion']): string | undefined {
  const row = sql(
    reader,
    `SELECT max(started_at) AS at FROM mining_scans WHERE occasion = ? AND state = 'finished'`,
  ).get(occasion) as { at: string | null }
  return row.at ?? undefined
}

function toScan(row: unknown): ScanRow {
  const { result, ...fields } = present(row as Row)
  const read: unknown = typeof result === 'string' ? JSON.parse(result) : undefined
  return { ...fields, ...(read === undefined ? {} : { result: read }) } as unknown as ScanRow
}
