import type { BridgeEntry } from '@apprentice/contracts/capabilities/capability.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import type { Row } from '../db/row.ts'

export interface BridgeMarks {
  readonly bridge_state: 'current' | 'stale' | 'partial_deployment'
  readonly built_at: string
  readonly content_hash: string
}

export function getBridgeMarks(reader: Reader): BridgeMarks {
  return sql(
    reader,
    'SELECT bridge_state, built_at, content_hash FROM capability_bridge',
  ).get() as BridgeMarks
}

export function updateBridgeMarks(tx: Tx, marks: BridgeMarks): void {
  sql(
    tx,
    `UPDATE capability_bridge SET bridge_state = @bridge_state, built_at = @built_at,
       content_hash = @content_hash`,
  ).run({ ...marks })
}

/** In the order of their ids. */
export function listBridgeEntries(reader: Reader): BridgeEntry[] {
  return sql(reader, 'SELECT entry FROM bridge_entries ORDER BY capability_id')
    .all()
    .map((row) => JSON.parse(String((row as Row)['entry'])) as BridgeEntry)
}

export function findBridgeEntry(reader: Reader, capabilityId: string): BridgeEntry | undefined {
  const row = sql(reader, 'SELECT entry FROM bridge_entries WHERE capability_id = ?').get(
    capabilityId,
  )
  return row === undefined ? undefined : (JSON.parse(String((row as Row)['entry'])) as BridgeEntry)
}

export function upsertBridgeEntry(tx: Tx, entry: BridgeEntry): void {
  sql(tx, 'INSERT OR REPLACE INTO bridge_entries (capability_id, entry) VALUES (?, ?)').run(
    entry.capability_id,
    JSON.stringify(entry),
  )
}

export function deleteBridgeEntry(tx: Tx, capabilityId: string): void {
  sql(tx, 'DELETE FROM bridge_entries WHERE capability_id = ?').run(capabilityId)
}
