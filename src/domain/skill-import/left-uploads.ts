import { listImportsIn } from '../../store/skill-import/skill-imports.ts'
import { type CommandContext, asSystem } from '../command/context.ts'
import { abandonUpload } from './record/uploads.ts'

/** Uploads the daemon went away under; nobody will send the rest. */
export function closeLeftUploads(ctx: CommandContext): number {
  const left = listImportsIn(ctx.tx, ['upload_pending'])
  for (const { import_id, owner_user_id } of left) {
    abandonUpload(asSystem(ctx, owner_user_id), import_id, 'INTERRUPTED')
  }
  return left.length
}
