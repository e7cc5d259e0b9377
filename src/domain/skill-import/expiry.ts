import { Failure } from '../../failure/failure.ts'
import { type ImportRow, listOverdueImports } from '../../store/skill-import/skill-imports.ts'
import { type CommandContext, asSystem } from '../command/context.ts'
import { expiringStates } from './record/import-machine.ts'
import { moveImport, recordImportReceipt } from './record/import-record.ts'
import { throwAwayUpload } from './record/throw-away.ts'
import { gone } from './record/uploads.ts'

const batch = 100

/** Ends the imports whose upload nobody did anything with in time. What is being scanned is left to end first. */
export function sweepExpiredImports(ctx: CommandContext): number {
  const states = expiringStates.filter((state) => state !== 'scanning')
  const overdue = listOverdueImports(ctx.tx, { now: ctx.now, states, limit: batch })
  for (const row of overdue) expire(asSystem(ctx, row.owner_user_id), row)
  return overdue.length
}

function expire(ctx: CommandContext, row: ImportRow): void {
  throwAwayUpload(ctx, row)
  const expired = moveImport(ctx, row, 'expired', { changes: gone(ctx), reason: 'upload expired' })
  recordImportReceipt(ctx, expired, 'skill_import.expired', {
    summary: 'The upload was kept for 24 hours and is gone; the import ends with it.',
  })
}

/** The refusal for an import whose upload is no longer kept. To be returned, so that the end is written down. */
export function expiredNow(ctx: CommandContext, row: ImportRow): Failure | undefined {
  const { stage_state, temp_artifact_expires_at: ends } = row
  const isDue = ends !== undefined && ends <= ctx.now && expiringStates.includes(stage_state)
  if (isDue) expire(asSystem(ctx, row.owner_user_id), row)
  if (!isDue && stage_state !== 'expired') return undefined
  return new Failure(
    'SKILL_IMPORT_UPLOAD_EXPIRED',
    'The upload is no longer kept; send it again.',
    {
      details: { import_id: row.import_id },
    },
  )
}
