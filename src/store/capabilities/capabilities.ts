import type { CapabilityHealth, CapabilityStats } from '@apprentice/contracts/capabilities/capability.ts'
import { columns, flag, integer, list, text } from '../db/columns.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { findString, listStrings, readNumber } from '../db/queries.ts'
import { defineTable, type InsertOf, type RowOf } from '../db/table.ts'

export const capabilityHealth = defineTable(
  'capability_health',
  {
    capability_id: text(),
    health_status: text<CapabilityHealth['health_status']>(),
    session_availability: text<CapabilityHealth['session_availability']>(),
    reason_codes: list(),
    last_verified_at: text().optional(),
    cooldown_until: text().optional(),
    /** Successful canary runs since the last failure. */
    canary_successes: integer(),
    /** Failures up to this position are not counted. */
    counted_after: integer(),
  },
  { key: ['capability_id'] },
)

export const capabilityFailures = defineTable(
  'capability_failures',
  {
    position: integer().notInserted(),
    capability_id: text(),
    fingerprint: text(),
    critical: flag(),
    /** Whose use failed. */
    user_id: text().optional(),
    created_at: text(),
  },
  { key: ['position'] },
)

export const capabilityStats = defineTable(
  'capability_stats',
  {
    capability_id: text(),
    ...columns(integer(), 'uses', 'successes', 'failures', 'fallback_uses'),
    last_used_at: text().optional(),
  },
  { key: ['capability_id'] },
)

export type HealthRow = RowOf<typeof capabilityHealth>

export function findHealth(reader: Reader, capabilityId: string): HealthRow | undefined {
  return capabilityHealth.find(reader, capabilityId)
}

export function listHealth(reader: Reader): HealthRow[] {
  return sql(reader, 'SELECT * FROM capability_health ORDER BY capability_id').all().map(capabilityHealth.decode)
}

export function upsertHealth(tx: Tx, row: HealthRow): void {
  capabilityHealth.upsert(tx, row)
}

export function deleteCapability(tx: Tx, capabilityId: string): void {
  sql(tx, 'DELETE FROM capability_health WHERE capability_id = ?').run(capabilityId)
  sql(tx, 'DELETE FROM capability_failures WHERE capability_id = ?').run(capabilityId)
  sql(tx, 'DELETE FROM capability_stats WHERE capability_id = ?').run(capabilityId)
}

export type FailureRow = InsertOf<typeof capabilityFailures>

export function appendCapabilityFailure(tx: Tx, failure: FailureRow): void {
  capabilityFailures.insert(tx, failure)
}

const failureRow = capabilityFailures.without('position')

/** Oldest first. */
export function listCapabilityFailures(
  reader: Reader,
  { capability_id, after, since }: { capability_id: string; after: number; since: string },
): FailureRow[] {
  return sql(
    reader,
    `SELECT * FROM capability_failures
     WHERE capability_id = ? AND position > ? AND created_at >= ? ORDER BY position`,
  )
    .all(capability_id, after, since)
    .map(failureRow.decode)
}

/** The position of the capability's last failure, 0 if it has none. */
export function getLastFailurePosition(reader: Reader, capabilityId: string): number {
  return readNumber(
    reader,
    'SELECT coalesce(max(position), 0) FROM capability_failures WHERE capability_id = ?',
    capabilityId,
  )
}

export function addCapabilityUse(
  tx: Tx,
  capabilityId: string,
  use: { success: boolean; fallback_used: boolean; at: string },
): void {
  sql(
    tx,
    `INSERT INTO capability_stats (capability_id, uses, successes, failures, fallback_uses, last_used_at)
     VALUES (@id, 1, @success, 1 - @success, @fallback, @at)
     ON CONFLICT (capability_id) DO UPDATE SET uses = uses + 1, successes = successes + @success,
       failures = failures + 1 - @success, fallback_uses = fallback_uses + @fallback,
       last_used_at = @at`,
  ).run({
    id: capabilityId,
    success: Number(use.success),
    fallback: Number(use.fallback_used),
    at: use.at,
  })
}

export function listCapabilityStats(reader: Reader): CapabilityStats[] {
  return sql(reader, 'SELECT * FROM capability_stats ORDER BY capability_id').all().map(capabilityStats.decode)
}

/** The capabilities of all abilities. */
export function listCapabilityIds(reader: Reader): string[] {
  return listStrings(
    reader,
    `SELECT primary_capability_id AS id FROM abilities
      WHERE primary_capability_id IS NOT NULL ORDER BY id`,
  )
}

/** The ability that provides a capability now. */
export function findAbilityIdByCapability(reader: Reader, capabilityId: string): string | undefined {
  return findString(reader, 'SELECT ability_id FROM abilities WHERE primary_capability_id = ?', capabilityId)
}
