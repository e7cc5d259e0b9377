import { Failure } from '../../failure/failure.ts'
import { findImportByUpload } from '../../store/skill-import/skill-imports.ts'
import type { CommandContext } from '../command/context.ts'
import { moveToDiscarded } from './decisions.ts'
import { BUSY_STATES, IMPORT_MOVES, UNPACKED_STATES } from './record/import-machine.ts'
import { recordImportReceipt, saveImport } from './record/import-record.ts'
import { queueUploadRemoval } from './record/artifact-removal.ts'
import { uploadDeleted, UPLOAD_RETENTION_MS, uploadNotFound } from './record/uploads.ts'

/**
 * Deletes an upload that no job reads. An import that still needs it is discarded; one whose files are already unpacked
 * goes on. The operation is idempotent.
 */
export function deleteUpload(ctx: CommandContext, ref: string) {
  const row = findImportByUpload(ctx.tx, ref)
  if (row === undefined || row.owner_user_id !== ctx.actor.user_id) throw uploadNotFound(ref)
  const reply = { deleted: true as const, temp_artifact_ref: ref, schema_version: 1 as const }
  const { import_id, artifact_deleted_at: deleted, stage_state } = row
  if (deleted !== undefined) {
    const isRecent = Date.parse(ctx.now) - Date.parse(deleted) <= UPLOAD_RETENTION_MS
    if (isRecent && (stage_state === 'discarded' || UNPACKED_STATES.includes(stage_state))) return reply
    throw uploadNotFound(ref)
  }
  if (BUSY_STATES.includes(stage_state) || stage_state === 'upload_pending') {
    throw new Failure('SKILL_IMPORT_UPLOAD_IN_USE', `The import is ${stage_state}.`, {
      details: { import_id, stage_state },
    })
  }
  const isNeeded = IMPORT_MOVES[stage_state].includes('discarded') && !UNPACKED_STATES.includes(stage_state)
  if (!isNeeded) queueUploadRemoval(ctx, row)
  const moved = isNeeded ? moveToDiscarded(ctx, row, 'upload deleted') : saveImport(ctx, row, uploadDeleted(ctx))
  recordImportReceipt(ctx, moved, 'skill_import.upload_deleted', { summary: 'Upload deleted.' })
  return reply
}
