import type { AdapterKind } from '@apprentice/contracts/learn/observation.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { bindable, present, type Row } from '../db/row.ts'

export interface AdapterRow {
  readonly adapter_id: string
  readonly kind: AdapterKind
  readonly enabled: boolean
  readonly healthy: boolean
  readonly last_seen_at?: string | undefined
  readonly last_error_code?: string | undefined
}

export function listAdapterRows(reader: Reader): AdapterRow[] {
  return sql(reader, 'SELECT * FROM adapters ORDER BY adapter_id')
    .all()
    .map((row) => {
      const fields = present(row as Row)
      return {
        ...fields,
        enabled: fields['enabled'] === 1,
        healthy: fields['healthy'] === 1,
      } as unknown as AdapterRow
    })
}

export function upsertAdapter(tx: Tx, row: AdapterRow): void {
  sql(
    tx,
    `INSERT OR REPLACE INTO adapters (adapter_id, kind, enabled, healthy, last_seen_at, last_error_code)
     VALUES (@adapter_id, @kind, @enabled, @healthy, @last_seen_at, @last_error_code)`,
  ).run(bindable({ last_seen_at: undefined, last_error_code: undefined, ...row }))
}

/** Sessions that capture through a kind of adapter not among the healthy ones. */
export function listSessionsMissingAdapters(
  reader: Reader,
  healthy: readonly AdapterKind[],
): string[] {
  return sql(
    reader,
    `SELECT learn_session_id FROM learn_sessions
      WHERE state = 'capturing' AND EXISTS (
        SELECT 1 FROM json_each(adapters_armed)
         WHERE value NOT IN (SELECT value FROM json_each(?)))
      ORDER BY learn_session_id`,
  )
    .all(JSON.stringify(healthy))
    .map((row) => String((row as Row)['learn_session_id']))
}
