import type {
  CapabilityHealth,
  CapabilityStats,
} from '@apprentice/contracts/capabilities/capability.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { bindable, present, type Row } from '../db/row.ts'

export interface HealthRow extends Omit<CapabilityHealth, 'schema_version' | 'installed_state'> {
  /** In a row, since the last failure. */
  readonly canary_successes: number
  /** Failures up to this position are kept and no longer counted. */
  readonly counted_after: number
}

export function findHealth(reader: Reader, capabilityId: string): HealthRow | undefined {
  const row = sql(reader, 'SELECT * FROM capability_health WHERE capability_id = ?').get(
    capabilityId,
  )
  return row === undefined ? undefined : toHealth(row)
}

export function listHealth(reader: Reader): HealthRow[] {
  return sql(reader, 'SELECT * FROM capability_health ORDER BY capability_id').all().map(toHealth)
}

export function upsertHealth(tx: Tx, row: HealthRow): void {
  sql(
    tx,
    `INSERT OR REPLACE INTO capability_health (capability_id, health_status, session_availability,
       reason_codes, last_verified_at, cooldown_until, canary_successes, counted_after)
     VALUES (@capability_id, @health_status, @session_availability, @reason_codes,
       @last_verified_at, @cooldown_until, @canary_successes, @counted_after)`,
  ).run(
    bindable({
      last_verified_at: undefined,
      cooldown_until: undefined,
      ...row,
      reason_codes: JSON.stringify(row.reason_codes),
    }),
  )
}

export function deleteCapability(tx: Tx, capabilityId: string): void {
  sql(tx, 'DELETE FROM capability_health WHERE capability_id = ?').run(capabilityId)
  sql(tx, 'DELETE FROM capability_failures WHERE capability_id = ?').run(capabilityId)
  sql(tx, 'DELETE FROM capability_stats WHERE capability_id = ?').run(capabilityId)
}

export interface FailureRow {
  readonly capability_id: string
  readonly fingerprint: string
  readonly critical: boolean
  readonly created_at: string
}

export function appendCapabilityFailure(tx: Tx, failure: FailureRow): void {
  sql(
    tx,
    `INSERT INTO capability_failures (capability_id, fingerprint, critical, created_at)
     VALUES (@capability_id, @fingerprint, @critical, @created_at)`,
  ).run(bindable({ ...failure }))
}

/** Oldest first. */
export function listCapabilityFailures(
  reader: Reader,
  { capability_id, after, since }: { capability_id: string; after: number; since: string },
): FailureRow[] {
  return sql(
    reader,
    `SELECT capability_id, fingerprint, critical, created_at FROM capability_failures
     WHERE capability_id = ? AND position > ? AND created_at >= ? ORDER BY position`,
  )
    .all(capability_id, after, since)
    .map((row) => ({ ...(row as Row), critical: (row as Row)['critical'] === 1 }) as FailureRow)
}

/** Where a capability's failures have come to. */
export function lastFailurePosition(reader: Reader, capabilityId: string): number {
  const row = sql(
    reader,
    'SELECT coalesce(max(position), 0) AS last FROM capability_failures WHERE capability_id = ?',
  ).get(capabilityId)
  return (row as { last: number }).last
}

export function countUse(
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
  return sql(reader, 'SELECT * FROM capability_stats ORDER BY capability_id')
    .all()
    .map((row) => present(row as Row) as unknown as CapabilityStats)
}

/** Of the abilities on record. */
export function listCapabilityIds(reader: Reader): string[] {
  return sql(
    reader,
    `SELECT primary_capability_id AS id FROM abilities
      WHERE primary_capability_id IS NOT NULL ORDER BY id`,
  )
    .all()
    .map((row) => String((row as Row)['id']))
}

/** The ability that stands behind a capability now. */
export function findAbilityBehind(reader: Reader, capabilityId: string): string | undefined {
  const row = sql(reader, 'SELECT ability_id FROM abilities WHERE primary_capability_id = ?').get(
    capabilityId,
  )
  return row === undefined ? undefined : String((row as Row)['ability_id'])
}

function toHealth(row: unknown): HealthRow {
  const fields = present(row as Row)
  return {
    ...fields,
    reason_codes: JSON.parse(String(fields['reason_codes'])),
  } as unknown as HealthRow
}
