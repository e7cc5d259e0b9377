import type { MiningScan, SkillMiningSettings } from '@apprentice/contracts/learn/mining.ts'
import { Failure } from '../../failure/failure.ts'
import type { Reader } from '../../store/db/db.ts'
import { findLastScanTime, listRunningScans, upsertScan, type ScanRow } from '../../store/mining/mining-scans.ts'
import { hasClusters, listUncountedExecutions } from '../../store/mining/trace-clusters.ts'
import type { CommandContext } from '../command/context.ts'
import { recordEvent, recordReceipt } from '../command/ledger.ts'
import { OWN_SOURCES } from './own-sources.ts'
import { readMiningSettings } from './settings.ts'

/** The nightly job does not start at exactly the same time every day. */
const SCAN_SLACK_MS = 2 * 3_600_000

/** True when the next nightly scan is due. */
export function isScanDue(reader: Reader, now: string): boolean {
  const { mode, scan_interval_hours } = readMiningSettings(reader)
  if (mode === 'off') return false
  if (!hasTraces(reader)) return false
  const last = findLastScanTime(reader, 'nightly')
  if (last === undefined) return true
  return Date.parse(now) - Date.parse(last) >= scan_interval_hours * 3_600_000 - SCAN_SLACK_MS
}

/** Without any trace a scan would record an empty result every night. */
const hasTraces = (reader: Reader): boolean =>
  hasClusters(reader) || listUncountedExecutions(reader, { limit: 1, own_sources: OWN_SOURCES }).length > 0

/** Records the start of a scan. Scans that a stopped daemon left running are recorded as failed. */
export function beginScan(
  ctx: CommandContext,
  occasion: ScanRow['occasion'],
): { readonly scan: ScanRow; readonly settings: SkillMiningSettings } {
  const settings = readMiningSettings(ctx.tx)
  if (settings.mode === 'off') {
    throw new Failure('MINING_OFF', 'Mining is switched off. Change `mode` in the mining settings.')
  }
  for (const stale of listRunningScans(ctx.tx)) failScan(ctx, stale, 'interrupted')
  const scan: ScanRow = {
    scan_id: ctx.newId(),
    asked_by: ctx.actor.user_id,
    occasion,
    state: 'running',
    started_at: ctx.now,
  }
  upsertScan(ctx.tx, scan)
  return { scan, settings }
}

export function finishScan(ctx: CommandContext, scan: ScanRow, result: MiningScan): void {
  upsertScan(ctx.tx, { ...scan, state: 'finished', result, finished_at: ctx.now })
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
    summary: `Scanned ${clusters_seen} workflows and made ${proposals_created.length} proposals.`,
    details: counts,
  })
}

export function failScan(ctx: CommandContext, scan: ScanRow, reason: string): void {
  upsertScan(ctx.tx, { ...scan, state: 'failed', result: { reason }, finished_at: ctx.now })
  recordEvent(ctx, 'mining/scan', 'learn.mining.failed', { scan_id: scan.scan_id, reason })
  recordReceipt(ctx, 'learn.mining.scanned', {
    status: 'failed',
    summary: 'The scan of past executions failed.',
    reason: reason.slice(0, 240),
    details: { scan_id: scan.scan_id },
  })
}
