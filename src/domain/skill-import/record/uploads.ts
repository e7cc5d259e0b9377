import type { UploadMetadata } from '@apprentice/contracts/skills/imports.ts'
import { Failure } from '../../../failure/failure.ts'
import {
  deleteImport,
  findImport,
  type ImportRow,
  insertImport,
  listImportsIn,
} from '../../../store/skill-import/skill-imports.ts'
import { asSystem, type CommandContext } from '../../command/context.ts'
import { toOneLine } from '../../../knowledge/text/plain-text.ts'
import { toTempArtifactRef, moveImport, recordImportReceipt, recordImportMove } from './import-record.ts'
import { queueUploadRemoval } from './artifact-removal.ts'
import { assertPackExists } from './packs.ts'

export const UPLOAD_RETENTION_MS = 24 * 3_600_000

export const uploadNotFound = (ref: string): Failure =>
  new Failure('SKILL_IMPORT_UPLOAD_NOT_FOUND', `No upload ${toOneLine(ref, 80)}.`)

/** Records an upload before its first byte, so that the remains of a crash can be found. */
export function beginUpload(
  ctx: CommandContext,
  { temp_artifact_ref, filename }: { temp_artifact_ref: string; filename: string },
): string {
  const import_id = ctx.newId()
  insertImport(ctx.tx, {
    import_id,
    owner_user_id: ctx.actor.user_id,
    source: 'manual_upload',
    skill_name: stripExtension(filename),
    source_ref_kind: 'temp_artifact',
    source_ref: temp_artifact_ref,
    original_filename: toOneLine(filename, 240),
    stage_state: 'upload_pending',
    retry_scan: 0,
    retry_stage: 0,
    retry_install: 0,
    attempts: 0,
    requires_adapter: false,
    temp_artifact_ref,
    tool_shadowing_check: 'clear',
    visibility: 'private',
    migrated: false,
    created_at: ctx.now,
    updated_at: ctx.now,
  })
  recordImportMove(ctx, { import_id }, { to: 'upload_pending' })
  return import_id
}

/** The provisional name of the skill until the scan reads the bundle. */
const stripExtension = (filename: string): string =>
  toOneLine(filename.replace(/(?:(?:\.skillbundle)?\.zip|\.skill)$/i, ''), 80) || 'bundle'

export interface ReceivedUpload {
  readonly import_id: string
  readonly metadata: UploadMetadata
  readonly content_hash_sha256: string
  readonly byte_size: number
}

export function finishUpload(ctx: CommandContext, { import_id, metadata, ...received }: ReceivedUpload) {
  assertPackExists(ctx.tx, metadata.requested_pack_id)
  const row = moveImport(ctx, getImport(ctx, import_id), 'uploaded', {
    changes: {
      ...received,
      source: metadata.source,
      skill_pack: metadata.requested_pack_id,
      notes: metadata.notes,
      temp_artifact_expires_at: new Date(Date.parse(ctx.now) + UPLOAD_RETENTION_MS).toISOString(),
    },
  })
  recordImportReceipt(ctx, row, 'skill_import.uploaded', {
    summary: `Bundle ${row.original_filename ?? ''} uploaded, ${received.byte_size} bytes.`,
    details: { content_hash_sha256: received.content_hash_sha256 },
  })
  return {
    temp_artifact: toTempArtifactRef(row),
    accepted: true,
    import_id,
    schema_version: 1 as const,
  }
}

function getImport(ctx: CommandContext, importId: string): ImportRow {
  const row = findImport(ctx.tx, importId)
  if (row === undefined) throw new Error(`No row for import ${importId}.`)
  return row
}

/** Discards an upload that is incomplete or invalid. */
export function abandonUpload(ctx: CommandContext, importId: string, code: string): void {
  const row = getImport(ctx, importId)
  if (row.stage_state !== 'upload_pending') return
  moveImport(ctx, row, 'discarded', {
    changes: { ...uploadDeleted(ctx), last_error_code: code },
    reason: code,
  })
}

/** Closes uploads that were incomplete when the daemon stopped, and removes their bytes. */
export function closeInterruptedUploads(ctx: CommandContext): void {
  for (const { import_id, owner_user_id } of listImportsIn(ctx.tx, ['upload_pending'])) {
    const system = asSystem(ctx, owner_user_id)
    queueUploadRemoval(system, getImport(system, import_id))
    abandonUpload(system, import_id, 'INTERRUPTED')
  }
}

/** Deletes a repetition of an earlier request. The upload of the first request stays. */
export function deleteDuplicateUpload(ctx: CommandContext, importId: string): void {
  const { stage_state, import_id } = getImport(ctx, importId)
  deleteImport(ctx.tx, importId)
  recordImportMove(ctx, { import_id, stage_state }, { to: 'discarded', reason: 'duplicate upload' })
}

/** The changes to an import whose upload is deleted. */
export const uploadDeleted = (ctx: CommandContext): Partial<ImportRow> => ({
  artifact_deleted_at: ctx.now,
  temp_artifact_expires_at: undefined,
})
