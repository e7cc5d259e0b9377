import type { UploadMetadata } from '@apprentice/contracts/skills/imports.ts'
import { Failure } from '../../../failure/failure.ts'
import {
  deleteImport,
  findImport,
  type ImportRow,
  insertImport,
} from '../../../store/skill-import/skill-imports.ts'
import type { CommandContext } from '../../command/context.ts'
import { oneLine } from '../../../knowledge/text/plain-text.ts'
import { artifactOf, moveImport, recordImportReceipt, tellMove } from './import-record.ts'
import { assertPack } from './packs.ts'

export const keptMs = 24 * 3_600_000

export const uploadNotFound = (ref: string): Failure =>
  new Failure('SKILL_IMPORT_UPLOAD_NOT_FOUND', `No upload ${oneLine(ref, 80)}.`)

/** Writes down that bytes are coming in, so that what a crash leaves of them is known. */
export function beginUpload(
  ctx: CommandContext,
  { temp_artifact_ref, filename }: { temp_artifact_ref: string; filename: string },
): string {
  const import_id = ctx.newId()
  insertImport(ctx.tx, {
    import_id,
    owner_user_id: ctx.actor.user_id,
    source: 'manual_upload',
    skill_name: stemOf(filename),
    source_ref_kind: 'temp_artifact',
    source_ref: temp_artifact_ref,
    original_filename: oneLine(filename, 240),
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
  tellMove(ctx, { import_id }, { to: 'upload_pending' })
  return import_id
}

/** What the skill is called before anybody has looked inside. */
const stemOf = (filename: string): string =>
  oneLine(filename.replace(/(?:\.skillbundle)?\.zip$/i, ''), 80) || 'bundle'

export interface Received {
  readonly import_id: string
  readonly metadata: UploadMetadata
  readonly content_hash_sha256: string
  readonly byte_size: number
}

export function finishUpload(ctx: CommandContext, { import_id, metadata, ...received }: Received) {
  assertPack(metadata.requested_pack_id)
  const row = moveImport(ctx, getPending(ctx, import_id), 'uploaded', {
    changes: {
      ...received,
      source: metadata.source,
      skill_pack: metadata.requested_pack_id,
      notes: metadata.notes,
      temp_artifact_expires_at: new Date(Date.parse(ctx.now) + keptMs).toISOString(),
    },
  })
  recordImportReceipt(ctx, row, 'skill_import.uploaded', {
    summary: `Bundle ${row.original_filename ?? ''} uploaded, ${received.byte_size} bytes.`,
    details: { content_hash_sha256: received.content_hash_sha256 },
  })
  return {
    temp_artifact: artifactOf(row),
    accepted: true,
    import_id,
    schema_version: 1 as const,
  }
}

function getPending(ctx: CommandContext, importId: string): ImportRow {
  const row = findImport(ctx.tx, importId)
  if (row === undefined) throw new Error(`No row for import ${importId}.`)
  return row
}

/** The bytes did not come in, or are not what they have to be. */
export function abandonUpload(ctx: CommandContext, importId: string, code: string): void {
  const row = getPending(ctx, importId)
  if (row.stage_state !== 'upload_pending') return
  moveImport(ctx, row, 'discarded', {
    changes: { ...gone(ctx), last_error_code: code },
    reason: code,
  })
}

/** The same upload was asked for before and is kept: this one never was. */
export function forgetUpload(ctx: CommandContext, importId: string): void {
  const { stage_state, import_id } = getPending(ctx, importId)
  deleteImport(ctx.tx, importId)
  tellMove(ctx, { import_id, stage_state }, { to: 'discarded', reason: 'the same upload again' })
}

export const gone = (ctx: CommandContext): Partial<ImportRow> => ({
  artifact_deleted_at: ctx.now,
  temp_artifact_expires_at: undefined,
})
