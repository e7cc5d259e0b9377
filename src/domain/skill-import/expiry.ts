import { Failure } from '../../failure/failure.ts'
import { type ImportRow, listOverdueImports } from '../../store/skill-import/skill-imports.ts'
import { type CommandContext, asSystem } from '../command/context.ts'
import { EXPIRING_STATES } from './record/import-machine.ts'
import { moveImport, recordImportReceipt } from './record/import-record.ts'
import { queueUploadRemoval } from './record/artifact-removal.ts'
import { uploadDeleted } from './record/uploads.ts'

const BATCH_SIZE = 100

/** Expires imports whose upload is past its retention time, except those that are being scanned. */
export function sweepExpiredImports(ctx: CommandContext): number {
  const states = EXPIRING_STATES.filter((state) => state !== 'scanning')
  const overdue = listOverdueImports(ctx.tx, { now: ctx.now, states, limit: BATCH_SIZE })
  for (const row of overdue) expireImport(asSystem(ctx, row.owner_user_id), row)
  return overdue.length
}

function expireImport(ctx: CommandContext, row: ImportRow): void {
  queueUploadRemoval(ctx, row)
  const expired = moveImport(ctx, row, 'expired', {
    changes: uploadDeleted(ctx),
    reason: 'upload expired',
  })
  recordImportReceipt(ctx, expired, 'skill_import.expired', {
    summary: 'The upload was deleted after 24 hours, and the import expired.',
  })
}

/**
 * Expires the import if its upload is past its retention time. Returns a failure for an expired import. The caller
 * must return this failure, not throw it, so that the expiry is committed.
 */
export function expireIfDue(ctx: CommandContext, row: ImportRow): Failure | undefined {
  const { stage_state, temp_artifact_expires_at: expires_at } = row
  const isDue = expires_at !== undefined && expires_at <= ctx.now && EXPIRING_STATES.includes(stage_state)
  if (isDue) expireImport(asSystem(ctx, row.owner_user_id), row)
  if (!isDue && stage_state !== 'expired') return undefined
  return new Failure('SKILL_IMPORT_UPLOAD_EXPIRED', 'The upload has expired. Upload the bundle again.', {
    details: { import_id: row.import_id },
  })
}
