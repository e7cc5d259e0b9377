import type { BridgeEntry } from '@apprentice/contracts/capabilities/capability.ts'
import { integer, json, text } from '../db/columns.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { defineTable } from '../db/table.ts'

/** One row: the state of the bridge as it was last built successfully. */
export const capabilityBridge = defineTable(
  'capability_bridge',
  {
    only: integer(),
    bridge_state: text<'current' | 'stale' | 'partial_deployment'>(),
    built_at: text(),
    content_hash: text(),
  },
  { key: ['only'] },
)

export const bridgeEntries = defineTable(
  'bridge_entries',
  { capability_id: text(), entry: json<BridgeEntry>() },
  { key: ['capability_id'] },
)

const bridgeStatus = capabilityBridge.without('only')
export type BridgeStatus = ReturnType<typeof bridgeStatus.decode>

export function getBridgeStatus(reader: Reader): BridgeStatus {
  return bridgeStatus.decode(sql(reader, 'SELECT * FROM capability_bridge').get())
}

export function updateBridgeStatus(tx: Tx, status: BridgeStatus): void {
  capabilityBridge.update(tx, { ...status, only: 1 })
}

/** Ordered by capability id. */
export function listBridgeEntries(reader: Reader): BridgeEntry[] {
  return sql(reader, 'SELECT * FROM bridge_entries ORDER BY capability_id')
    .all()
    .map((row) => bridgeEntries.decode(row).entry)
}

export function findBridgeEntry(reader: Reader, capabilityId: string): BridgeEntry | undefined {
  return bridgeEntries.find(reader, capabilityId)?.entry
}

export function upsertBridgeEntry(tx: Tx, entry: BridgeEntry): void {
  bridgeEntries.upsert(tx, { capability_id: entry.capability_id, entry })
}

export function deleteBridgeEntry(tx: Tx, capabilityId: string): void {
  sql(tx, 'DELETE FROM bridge_entries WHERE capability_id = ?').run(capabilityId)
}
