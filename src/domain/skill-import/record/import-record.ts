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
import {
  findImport,
  type ImportRow,
  updateImport,
} from '../../../store/skill-import/skill-imports.ts'
import type { CommandContext } from '../../command/context.ts'
import { recordEvent, recordReceipt } from '../../command/ledger.ts'
import { clip } from '../../../knowledge/text/plain-text.ts'
import { assertImportMove } from './import-machine.ts'

const importNotFound = (importId: string): Failure =>
  new Failure('SKILL_IMPORT_NOT_FOUND', `No import ${importId}.`)

/** The caller's import, or the same answer an unknown id gets. */
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

/** Takes an import a legal step further, and puts that on record. */
export function moveImport(
  ctx: CommandContext,
  row: ImportRow,
  to: ImportState,
  { changes = {}, reason, retry = false }: ImportMoveOptions = {},
): ImportRow {
  assertImportMove(row.stage_state, to, retry)
  const moved = saveImport(ctx, row, { ...changes, stage_state: to })
  tellMove(ctx, row, { to, reason })
  return moved
}

export function saveImport(
  ctx: CommandContext,
  row: ImportRow,
  changes: Partial<ImportRow>,
): ImportRow {
  const saved = { ...row, ...changes, updated_at: ctx.now }
  updateImport(ctx.tx, saved)
  return saved
}

export function tellMove(
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
  const told = { import_id, ...(from === undefined ? {} : { from }), to }
  recordEvent(ctx, subjectOf(import_id), 'skill.import.state_changed', told)
}

export const subjectOf = (importId: string): string => `import/${importId}`

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
  const { reason, details, ...said } = parts
  return recordReceipt(ctx, kind, {
    ...said,
    summary: clip(parts.summary, 500),
    ...(reason === undefined ? {} : { reason: clip(reason, 240) }),
    ...(proposal_id === undefined ? {} : { proposal_id }),
    ...(ability_id === undefined ? {} : { ability_id }),
    ...(saga_id === undefined ? {} : { saga_id }),
    details: { import_id, ...details },
  })
}

/** What a client may know of it. */
export function publicImport(row: ImportRow): ImportedSkillRecord {
  const { retry_scan, retry_stage, retry_install, report, source_ref_kind, source_ref } = row
  const known: Record<string, unknown> = { ...row }
  for (const name of ownFields) delete known[name]
  return {
    ...(known as unknown as ImportedSkillRecord),
    source_ref: source_ref_kind === 'legacy_path' ? masked(source_ref) : source_ref,
    ...(report === undefined
      ? {}
      : { compatibility_report_ref: `skills/imports/reports/${row.import_id}.json` }),
    retry_count: retry_scan + retry_stage + retry_install,
    retry_counts: { scan: retry_scan, stage: retry_stage, install: retry_install },
    schema_version: 1,
  }
}

/** Where a file once lay on somebody's disk is told to nobody. */
const masked = (path: string): string => `legacy:${hash('sha256', path, 'hex').slice(0, 8)}`

const ownFields = [
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

const retriesOf = (row: ImportRow, kind: RetryKind): number =>
  ({ scan: row.retry_scan, stage: row.retry_stage, install: row.retry_install })[kind]

export function artifactOf(row: ImportRow): TempArtifactRef {
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

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const mostRetries = 3

/** What somebody who looks at an import should know. */
export function warningsOf(row: ImportRow, now: string): string[] {
  const { stage_state, temp_artifact_expires_at: ends, partial_deployment } = row
  const left = ends === undefined ? Infinity : Date.parse(ends) - Date.parse(now)
  const kinds = { scan: 'scan_failed', stage: 'stage_failed', install: 'install_failed' } as const
  const tired = (Object.keys(kinds) as RetryKind[]).filter(
    (kind) => stage_state === kinds[kind] && retriesOf(row, kind) >= mostRetries,
  )
  const waited = Date.parse(now) - Date.parse(row.updated_at)
  return [
    ...tired.map((kind) => `retry_limit_reached:${kind}`),
    ...(left > 0 && left < 2 * hourMs ? ['upload_expiring_soon'] : []),
    ...(row.requires_adapter ? ['requires_adapter'] : []),
    ...(stage_state === 'ready_for_review' && waited > 14 * dayMs ? ['review_stale'] : []),
    ...(partial_deployment === undefined || partial_deployment.state === 'none'
      ? []
      : [`partial_deployment:${partial_deployment.state}`]),
    ...(row.migrated ? ['migrated_from_legacy'] : []),
  ]
}
