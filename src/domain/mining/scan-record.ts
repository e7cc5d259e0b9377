import type { MiningScan, SkillMiningSettings } from '@apprentice/contracts/learn/mining.ts'
import { Failure } from '../../failure/failure.ts'
import type { Reader } from '../../store/db/db.ts'
import {
  lastScanAt,
  listRunningScans,
  putScan,
  type ScanRow,
} from '../../store/mining/mining-scans.ts'
import { hasClusters, listUncounted } from '../../store/mining/trace-clusters.ts'
import type { CommandContext } from '../command/context.ts'
import { recordEvent, recordReceipt } from '../command/ledger.ts'
import { miningSettings } from './settings.ts'

/** Nights do not begin to the minute. */
const slackMs = 2 * 3_600_000

/** Is it time for the next scan of the night? */
export function isScanDue(reader: Reader, now: string): boolean {
  const { mode, scan_interval_hours } = miningSettings(reader)
  if (mode === 'off') return false
  if (!isAnythingThere(reader)) return false
  const last = lastScanAt(reader, 'nightly')
  if (last === undefined) return true
  return Date.parse(now) - Date.parse(last) >= scan_interval_hours * 3_600_000 - slackMs
}

/** Where nothing was ever done there is nothing to look through, and a night that does nothing says nothing. */
const isAnythingThere = (reader: Reader): boolean =>
  hasClusters(reader) || listUncounted(reader, { limit: 1 }).length > 0

/** Writes down that a scan begins. One that a daemon went away under is closed first, and told. */
export function beginScan(
  ctx: CommandContext,
  occasion: ScanRow['occasion'],
): { readonly scan: ScanRow; readonly settings: SkillMiningSettings } {
  const settings = miningSettings(ctx.tx)
  if (settings.mode === 'off') {
    throw new Failure('MINING_OFF', 'Mining is switched off; only what is shown is learned.')
  }
  for (const left of listRunningScans(ctx.tx)) failScan(ctx, left, 'interrupted')
  const scan: ScanRow = {
    scan_id: ctx.newId(),
    asked_by: ctx.actor.user_id,
    occasion,
    state: 'running',
    started_at: ctx.now,
  }
  putScan(ctx.tx, scan)
  return { scan, settings }
}

export function finishScan(ctx: CommandContext, scan: ScanRow, result: MiningScan): void {
  putScan(ctx.tx, { ...scan, state: 'finished', result, finished_at: ctx.now })
  const { clusters_seen, proposals_created, gate_failures, build_failures } = result
  const counts = {
    scan_id: scan.scan_id,
    clusters_seen,
    proposals_created: proposals_created.length,
    gate_failures: gate_failures.length,
    build_failures: build_failures.length,
  }
  recordEvent(ctx, 'mining/scan', 'learn.mining.scanned', counts)
  recordReceipt(ctx, 'learn.mining.scanned', {
    ...(build_failures.length > 0 ? { status: 'degraded' as const } : {}),
    summary: `${clusters_seen} workflows looked at, ${proposals_created.length} proposals made.`,
    details: counts,
  })
}

export function failScan(ctx: CommandContext, scan: ScanRow, reason: string): void {
  putScan(ctx.tx, { ...scan, state: 'failed', result: { reason }, finished_at: ctx.now })
  recordEvent(ctx, 'mining/scan', 'learn.mining.failed', { scan_id: scan.scan_id, reason })
  recordReceipt(ctx, 'learn.mining.scanned', {
    status: 'failed',
    summary: 'Past runs could not be looked through to the end.',
    reason: reason.slice(0, 240),
    details: { scan_id: scan.scan_id },
  })
}
