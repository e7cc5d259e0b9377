import { type Reader, sql, type Tx } from '../db/db.ts'
import { bindable, type Row } from '../db/row.ts'

/** When it was last worked out what can be used, and what has asked for that since. */
export interface AbilitySnapshot {
  readonly snapshot_as_of: string
  /** The last time all abilities were looked at, and not only some. */
  readonly full_as_of: string
  readonly latest_trigger_at: string
  readonly stale: boolean
}

export function getAbilitySnapshot(reader: Reader): AbilitySnapshot {
  const row = sql(
    reader,
    'SELECT snapshot_as_of, full_as_of, latest_trigger_at, stale FROM ability_snapshot',
  ).get() as Row
  return { ...row, stale: row['stale'] === 1 } as unknown as AbilitySnapshot
}

export function updateAbilitySnapshot(tx: Tx, snapshot: AbilitySnapshot): void {
  sql(
    tx,
    `UPDATE ability_snapshot SET snapshot_as_of = @snapshot_as_of, full_as_of = @full_as_of,
       latest_trigger_at = @latest_trigger_at, stale = @stale`,
  ).run(bindable({ ...snapshot }))
}
