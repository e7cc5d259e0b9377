import { Failure } from '../../failure/failure.ts'
import { findImportOfUpload } from '../../store/skill-import/skill-imports.ts'
import type { CommandContext } from '../command/context.ts'
import { discard } from './decisions.ts'
import { busyStates, importMoves } from './record/import-machine.ts'
import { recordImportReceipt, saveImport } from './record/import-record.ts'
import { throwAwayUpload } from './record/throw-away.ts'
import { gone, keptMs, uploadNotFound } from './record/uploads.ts'

/** Deletes an upload nobody works on, and with it an import that is not over. Asked again, it says the same. */
export function deleteUpload(ctx: CommandContext, ref: string) {
  const row = findImportOfUpload(ctx.tx, ref)
  if (row === undefined || row.owner_user_id !== ctx.actor.user_id) throw uploadNotFound(ref)
  const reply = { deleted: true as const, temp_artifact_ref: ref, schema_version: 1 as const }
  const { import_id, artifact_deleted_at: deleted, stage_state } = row
  if (deleted !== undefined) {
    const lately = Date.parse(ctx.now) - Date.parse(deleted) <= keptMs
    if (lately && stage_state === 'discarded') return reply
    throw uploadNotFound(ref)
  }
  if (busyStates.includes(stage_state) || stage_state === 'upload_pending') {
    throw new Failure('SKILL_IMPORT_UPLOAD_IN_USE', `The import is ${stage_state}.`, {
      details: { import_id, stage_state },
    })
  }
  const isOpen = importMoves[stage_state].includes('discarded')
  if (!isOpen) throwAwayUpload(ctx, row)
  const moved = isOpen ? discard(ctx, row, 'upload deleted') : saveImport(ctx, row, gone(ctx))
  recordImportReceipt(ctx, moved, 'skill_import.upload_deleted', { summary: 'Upload deleted.' })
  return reply
}
