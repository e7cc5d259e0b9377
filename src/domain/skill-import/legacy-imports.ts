import { isRecord } from '@apprentice/contracts/devices/matcher.ts'
import { ImportSource, ImportState, type SkillCompatibilityReport } from '@apprentice/contracts/skills/import-record.ts'
import { DateTime, Uuid } from '@apprentice/contracts/base/fields.ts'
import { FINDING_FACTS } from '@apprentice/contracts/skills/import-findings.ts'
import { findImport, type ImportRow, insertImport } from '../../store/skill-import/skill-imports.ts'
import { type CommandContext, asSystem } from '../command/context.ts'
import { toOneLine } from '../../knowledge/text/plain-text.ts'
import { recordImportReceipt, recordImportMove } from './record/import-record.ts'

/** A record of an older version. Every field is validated. */
type Legacy = Readonly<Record<string, unknown>>

interface LegacyPlacement {
  readonly state: ImportState
  readonly error?: string | undefined
  readonly adapter?: true
}

/** Renamed states of older versions. */
const RENAMED_STATES: Readonly<Record<string, LegacyPlacement>> = {
  cancelled: { state: 'discarded' },
  needs_adapter: { state: 'scan_complete', adapter: true },
  promoted_shared: { state: 'approved' },
  promoted: { state: 'approved' },
  scanned: { state: 'scan_complete' },
  approved_for_workspace: { state: 'approved' },
  lint_failed: { state: 'scan_failed' },
}
const REVIEW_STATES = ['staged', 'awaiting_review']
const FAILED_STATES: readonly ImportState[] = ['scan_failed', 'stage_failed', 'install_failed']

/**
 * Migrates a record of an older version. Returns false if the import already exists or has no valid id. An unknown
 * state becomes `scan_failed`.
 */
export function migrateLegacyImport(given: CommandContext, legacy: unknown): boolean {
  if (!isRecord(legacy)) return false
  const import_id = Uuid.safeParse(legacy['import_id'])
  if (!import_id.success || findImport(given.tx, import_id.data) !== undefined) return false
  const owner = readText(legacy['owner_user'], 80) || 'local'
  const ctx = asSystem(given, owner)
  const before = readText(legacy['stage_state'] ?? legacy['state'], 80)
  const placed = decidePlacement(legacy, before)
  const row = toImportRow(ctx, legacy, { import_id: import_id.data, owner, placed })
  insertImport(ctx.tx, row)
  recordImportMove(ctx, { import_id: row.import_id }, { to: placed.state, reason: 'migration_backfill' })
  recordImportReceipt(ctx, row, 'migration_backfill', {
    summary: `Import migrated from an older version: ${before || 'no state'} became ${placed.state}.`,
    reason: placed.error,
    details: { from: before, to: placed.state },
  })
  return true
}

function decidePlacement(legacy: Legacy, before: string): LegacyPlacement {
  if (REVIEW_STATES.includes(before)) {
    const staged = readText(legacy['staged_path'] ?? legacy['materialized_bundle_ref'], 240) !== ''
    return { state: staged ? 'ready_for_review' : 'stage_failed' }
  }
  if (before === 'failed') {
    const last = FAILED_STATES.find((state) => state === legacy['last_event'])
    return { state: last ?? 'scan_failed' }
  }
  const known = RENAMED_STATES[before] ?? ImportState.safeParse(before).data
  if (typeof known === 'object') return known
  // Work that was running when the older version stopped was interrupted.
  const interrupted = {
    scanning: 'scan_failed',
    staging: 'stage_failed',
    install_queued: 'install_failed',
  } as const
  if (known !== undefined && known in interrupted) {
    return { state: interrupted[known as keyof typeof interrupted], error: 'INTERRUPTED' }
  }
  if (known === undefined) return { state: 'scan_failed', error: 'UNKNOWN_LEGACY_STATE' }
  return { state: known === 'upload_pending' ? 'discarded' : known }
}

function toImportRow(
  ctx: CommandContext,
  legacy: Legacy,
  { import_id, owner, placed }: { import_id: string; owner: string; placed: LegacyPlacement },
): ImportRow {
  const path = readText(legacy['input_path'], 240)
  const created = DateTime.safeParse(legacy['created_at'])
  const requires_adapter = placed.adapter === true || legacy['requires_adapter'] === true
  return {
    import_id,
    owner_user_id: owner,
    source: ImportSource.safeParse(legacy['source']).data ?? 'manual_upload',
    skill_name: readText(legacy['skill_name'], 80) || 'bundle',
    source_ref_kind: 'legacy_path',
    source_ref: path === '' ? `legacy/${import_id}` : path,
    stage_state: placed.state,
    retry_scan: 0,
    retry_stage: 0,
    retry_install: 0,
    attempts: 0,
    last_error_code: placed.error ?? (readText(legacy['last_error_code'], 120) || undefined),
    requires_adapter,
    ...(requires_adapter ? { report: ADAPTER_REPORT } : {}),
    tool_shadowing_check: 'clear',
    visibility: 'private',
    migrated: true,
    created_at: created.success ? created.data : ctx.now,
    updated_at: ctx.now,
  }
}

const ADAPTER_REPORT: SkillCompatibilityReport = {
  compatible: true,
  requires_adapter: true,
  rule_version: 'legacy',
  findings: [
    {
      code: 'ADAPTER_REQUIRED',
      severity: 'warning',
      message: FINDING_FACTS.ADAPTER_REQUIRED.message,
    },
  ],
  schema_version: 1,
}

const readText = (value: unknown, max: number): string => (typeof value === 'string' ? toOneLine(value, max) : '')
