import { hash } from 'node:crypto'
import type {
  ImportedSkillRecord,
  ImportState,
  RetryKind,
  TempArtifactRef,
} from '@apprentice/contracts/skills/import-record.ts'
import type { ReceiptKind } from '@apprentice/contracts/learn/receipts.ts'
import { Failure } from '../../../failure/failure.ts'
import type { Reader } from '../../../store/db/db.ts'
import { appendImportMove } from '../../../store/skill-import/skill-import-events.ts'
import { findImport, type ImportRow, updateImport } from '../../../store/skill-import/skill-imports.ts'
import type { CommandContext } from '../../command/context.ts'
import { recordEvent, recordReceipt } from '../../command/ledger.ts'
import { clip } from '../../../knowledge/text/plain-text.ts'
import { assertImportMove } from './import-machine.ts'

export const importNotFound = (importId: string): Failure =>
  new Failure('SKILL_IMPORT_NOT_FOUND', `No import ${importId}.`)

/** Answers for another user's import as for an unknown id. */
export function getOwnImport(reader: Reader, importId: string, owner: string): ImportRow {
  const row = findImport(reader, importId)
  if (row === undefined || row.owner_user_id !== owner) throw importNotFound(importId)
  return row
}

export interface ImportMoveOptions {
  readonly changes?: Partial<ImportRow>
  readonly reason?: string | undefined
  readonly retry?: boolean
}

/** Moves an import to a state that is allowed next, and records the move. */
export function moveImport(
  ctx: CommandContext,
  row: ImportRow,
  to: ImportState,
  { changes = {}, reason, retry = false }: ImportMoveOptions = {},
): ImportRow {
  assertImportMove(row.stage_state, to, retry)
  const moved = saveImport(ctx, row, { ...changes, stage_state: to })
  recordImportMove(ctx, row, { to, reason })
  return moved
}

export function saveImport(ctx: CommandContext, row: ImportRow, changes: Partial<ImportRow>): ImportRow {
  const saved = { ...row, ...changes, updated_at: ctx.now }
  updateImport(ctx.tx, saved)
  return saved
}

export function recordImportMove(
  ctx: CommandContext,
  { import_id, stage_state: from }: Pick<ImportRow, 'import_id'> & { stage_state?: ImportState },
  { to, reason }: { to: ImportState; reason?: string | undefined },
): void {
  appendImportMove(ctx.tx, {
    import_id,
    from_state: from,
    to_state: to,
    actor: ctx.actor.kind === 'user' ? 'user' : 'system',
    reason: reason === undefined ? undefined : clip(reason, 240),
    correlation_id: ctx.correlation_id,
    created_at: ctx.now,
  })
  const payload = { import_id, ...(from === undefined ? {} : { from }), to }
  recordEvent(ctx, formatImportSubject(import_id), 'skill.import.state_changed', payload)
}

export const formatImportSubject = (importId: string): string => `import/${importId}`

/** Returns the receipt's id. */
export function recordImportReceipt(
  ctx: CommandContext,
  row: Pick<ImportRow, 'import_id' | 'proposal_id' | 'ability_id' | 'saga_id'>,
  kind: ReceiptKind,
  parts: {
    summary: string
    status?: 'ok' | 'failed' | 'blocked'
    reason?: string | undefined
    details?: Readonly<Record<string, unknown>>
  },
): string {
  const { import_id, proposal_id, ability_id, saga_id } = row
  const { reason, details, ...rest } = parts
  return recordReceipt(ctx, kind, {
    ...rest,
    summary: clip(parts.summary, 500),
    ...(reason === undefined ? {} : { reason: clip(reason, 240) }),
    ...(proposal_id === undefined ? {} : { proposal_id }),
    ...(ability_id === undefined ? {} : { ability_id }),
    ...(saga_id === undefined ? {} : { saga_id }),
    details: { import_id, ...details },
  })
}

export function toImportedSkillRecord(row: ImportRow): ImportedSkillRecord {
  const { retry_scan, retry_stage, retry_install, report, source_ref_kind, source_ref } = row
  const fields: Record<string, unknown> = { ...row }
  for (const name of INTERNAL_FIELDS) delete fields[name]
  return {
    ...(fields as unknown as ImportedSkillRecord),
    source_ref: source_ref_kind === 'legacy_path' ? maskPath(source_ref) : source_ref,
    ...(report === undefined ? {} : { compatibility_report_ref: `skills/imports/reports/${row.import_id}.json` }),
    retry_count: retry_scan + retry_stage + retry_install,
    retry_counts: { scan: retry_scan, stage: retry_stage, install: retry_install },
    schema_version: 1,
  }
}

/** Replies do not reveal paths on a user's disk. */
const maskPath = (path: string): string => `legacy:${hash('sha256', path, 'hex').slice(0, 8)}`

const INTERNAL_FIELDS = [
  'owner_user_id',
  'retry_scan',
  'retry_stage',
  'retry_install',
  'attempts',
  'notes',
  'temp_artifact_ref',
  'byte_size',
  'artifact_deleted_at',
  'report',
  'saga_id',
  'partial_deployment',
  'migrated',
]

const countRetries = (row: ImportRow, kind: RetryKind): number =>
  ({ scan: row.retry_scan, stage: row.retry_stage, install: row.retry_install })[kind]

export function toTempArtifactRef(row: ImportRow): TempArtifactRef {
  return {
    temp_artifact_ref: row.temp_artifact_ref ?? '',
    artifact_kind: 'skill_bundle_zip',
    ...(row.original_filename === undefined ? {} : { original_filename: row.original_filename }),
    content_hash_sha256: row.content_hash_sha256 ?? '',
    byte_size: row.byte_size ?? 1,
    created_at: row.created_at,
    expires_at: row.temp_artifact_expires_at ?? row.created_at,
    schema_version: 1,
  }
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const RETRY_WARNING_COUNT = 3

export function listImportWarnings(row: ImportRow, now: string): string[] {
  const { stage_state, temp_artifact_expires_at: expires_at, partial_deployment } = row
  const remainingMs = expires_at === undefined ? Infinity : Date.parse(expires_at) - Date.parse(now)
  const kinds = { scan: 'scan_failed', stage: 'stage_failed', install: 'install_failed' } as const
  const exhausted = (Object.keys(kinds) as RetryKind[]).filter(
    (kind) => stage_state === kinds[kind] && countRetries(row, kind) >= RETRY_WARNING_COUNT,
  )
  const waitedMs = Date.parse(now) - Date.parse(row.updated_at)
  return [
    ...exhausted.map((kind) => `retry_limit_reached:${kind}`),
    ...(remainingMs > 0 && remainingMs < 2 * HOUR_MS ? ['upload_expiring_soon'] : []),
    ...(row.requires_adapter ? ['requires_adapter'] : []),
    ...(stage_state === 'ready_for_review' && waitedMs > 14 * DAY_MS ? ['review_stale'] : []),
    ...(partial_deployment === undefined || partial_deployment.state === 'none'
      ? []
      : [`partial_deployment:${partial_deployment.state}`]),
    ...(row.migrated ? ['migrated_from_legacy'] : []),
  ]
}
