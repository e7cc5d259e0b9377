import { isRecord } from '@apprentice/contracts/devices/matcher.ts'
import {
  ImportSource,
  ImportState,
  type SkillCompatibilityReport,
} from '@apprentice/contracts/skills/import-record.ts'
import { DateTime, Uuid } from '@apprentice/contracts/base/fields.ts'
import { findingFacts } from '@apprentice/contracts/skills/import-findings.ts'
import { findImport, type ImportRow, insertImport } from '../../store/skill-import/skill-imports.ts'
import { type CommandContext, asSystem } from '../command/context.ts'
import { oneLine } from '../../knowledge/text/plain-text.ts'
import { recordImportReceipt, tellMove } from './record/import-record.ts'

/** What an earlier record of an import may say; nothing of it is taken on trust. */
type Legacy = Readonly<Record<string, unknown>>

interface Placed {
  readonly state: ImportState
  readonly error?: string | undefined
  readonly adapter?: true
}

/** States that were renamed, by what they are now. */
const renamed: Readonly<Record<string, Placed>> = {
  cancelled: { state: 'discarded' },
  needs_adapter: { state: 'scan_complete', adapter: true },
  promoted_shared: { state: 'approved' },
  promoted: { state: 'approved' },
  scanned: { state: 'scan_complete' },
  approved_for_workspace: { state: 'approved' },
  lint_failed: { state: 'scan_failed' },
}
const reviewed = ['staged', 'awaiting_review']
const failures: readonly ImportState[] = ['scan_failed', 'stage_failed', 'install_failed']

/**
 * Takes a record of an older make over: true when there is now an import of it, false when it was here already or
 * cannot be told from others. A state nobody knows is kept as a scan that failed.
 */
export function migrateLegacyImport(given: CommandContext, legacy: unknown): boolean {
  if (!isRecord(legacy)) return false
  const import_id = Uuid.safeParse(legacy['import_id'])
  if (!import_id.success || findImport(given.tx, import_id.data) !== undefined) return false
  const owner = word(legacy['owner_user'], 80) || 'local'
  const ctx = asSystem(given, owner)
  const before = word(legacy['stage_state'] ?? legacy['state'], 80)
  const placed = placeOf(legacy, before)
  const row = rowOf(ctx, legacy, { import_id: import_id.data, owner, placed })
  insertImport(ctx.tx, row)
  tellMove(ctx, { import_id: row.import_id }, { to: placed.state, reason: 'migration_backfill' })
  recordImportReceipt(ctx, row, 'migration_backfill', {
    summary: `Import taken over from an older record: ${before || 'no state'} became ${placed.state}.`,
    reason: placed.error,
    details: { from: before, to: placed.state },
  })
  return true
}

function placeOf(legacy: Legacy, before: string): Placed {
  if (reviewed.includes(before)) {
    const staged = word(legacy['staged_path'] ?? legacy['materialized_bundle_ref'], 240) !== ''
    return { state: staged ? 'ready_for_review' : 'stage_failed' }
  }
  if (before === 'failed') {
    const last = failures.find((state) => state === legacy['last_event'])
    return { state: last ?? 'scan_failed' }
  }
  const known = renamed[before] ?? ImportState.safeParse(before).data
  if (typeof known === 'object') return known
  // What was under way when the older program stopped has broken off.
  const brokenOff = {
    scanning: 'scan_failed',
    staging: 'stage_failed',
    install_queued: 'install_failed',
  } as const
  if (known !== undefined && known in brokenOff) {
    return { state: brokenOff[known as keyof typeof brokenOff], error: 'INTERRUPTED' }
  }
  if (known === undefined) return { state: 'scan_failed', error: 'UNKNOWN_LEGACY_STATE' }
  return { state: known === 'upload_pending' ? 'discarded' : known }
}

function rowOf(
  ctx: CommandContext,
  legacy: Legacy,
  { import_id, owner, placed }: { import_id: string; owner: string; placed: Placed },
): ImportRow {
  const path = word(legacy['input_path'], 240)
  const created = DateTime.safeParse(legacy['created_at'])
  const requires_adapter = placed.adapter === true || legacy['requires_adapter'] === true
  return {
    import_id,
    owner_user_id: owner,
    source: ImportSource.safeParse(legacy['source']).data ?? 'manual_upload',
    skill_name: word(legacy['skill_name'], 80) || 'bundle',
    source_ref_kind: 'legacy_path',
    source_ref: path === '' ? `legacy/${import_id}` : path,
    stage_state: placed.state,
    retry_scan: 0,
    retry_stage: 0,
    retry_install: 0,
    attempts: 0,
    last_error_code: placed.error ?? (word(legacy['last_error_code'], 120) || undefined),
    requires_adapter,
    ...(requires_adapter ? { report: adapterReport } : {}),
    tool_shadowing_check: 'clear',
    visibility: 'private',
    migrated: true,
    created_at: created.success ? created.data : ctx.now,
    updated_at: ctx.now,
  }
}

const adapterReport: SkillCompatibilityReport = {
  compatible: true,
  requires_adapter: true,
  rule_version: 'legacy',
  findings: [
    {
      code: 'ADAPTER_REQUIRED',
      severity: 'warning',
      message: findingFacts.ADAPTER_REQUIRED.message,
    },
  ],
  schema_version: 1,
}

const word = (value: unknown, max: number): string =>
  typeof value === 'string' ? oneLine(value, max) : ''
