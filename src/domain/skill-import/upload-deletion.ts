import { Failure } from '../../failure/failure.ts'
import { findImportByUpload } from '../../store/skill-import/skill-imports.ts'
import type { CommandContext } from '../command/context.ts'
import { moveToDiscarded } from './decisions.ts'
import { BUSY_STATES, IMPORT_MOVES } from './record/import-machine.ts'
import { recordImportReceipt, saveImport } from './record/import-record.ts'
import { queueUploadRemoval } from './record/artifact-removal.ts'
import { uploadDeleted, UPLOAD_RETENTION_MS, uploadNotFound } from './record/uploads.ts'

/** Deletes an upload that no job reads, and discards its import if it is open. The operation is idempotent. */
export function deleteUpload(ctx: CommandContext, ref: string) {
  const row = findImportByUpload(ctx.tx, ref)
  if (row === undefined || row.owner_user_id !== ctx.actor.user_id) throw uploadNotFound(ref)
  const reply = { deleted: true as const, temp_artifact_ref: ref, schema_version: 1 as const }
  const { import_id, artifact_deleted_at: deleted, stage_state } = row
  if (deleted !== undefined) {
    const isRecent = Date.parse(ctx.now) - Date.parse(deleted) <= UPLOAD_RETENTION_MS
    if (isRecent && stage_state === 'discarded') return reply
    throw uploadNotFound(ref)
  }
  if (BUSY_STATES.includes(stage_state) || stage_state === 'upload_pending') {
    throw new Failure('SKILL_IMPORT_UPLOAD_IN_USE', `The import is ${stage_state}.`, {
      details: { import_id, stage_state },
    })
  }
  const isOpen = IMPORT_MOVES[stage_state].includes('discarded')
  if (!isOpen) queueUploadRemoval(ctx, row)
  const moved = isOpen ? moveToDiscarded(ctx, row, 'upload deleted') : saveImport(ctx, row, uploadDeleted(ctx))
  recordImportReceipt(ctx, moved, 'skill_import.upload_deleted', { summary: 'Upload deleted.' })
  return reply
}
