import type { ImportRow } from '../../../store/skill-import/skill-imports.ts'
import type { CommandContext } from '../../command/context.ts'
import { enqueueJob } from '../../command/jobs.ts'

export const tidyKind = 'skill_import.tidy'

export interface TidyWork {
  readonly temp_artifact_ref?: string | undefined
  /** The import whose unpacked files are to go. */
  readonly staged?: string | undefined
}

/** Has the bytes of an upload removed once this is committed. */
export function throwAwayUpload(ctx: CommandContext, row: ImportRow): void {
  const { import_id, temp_artifact_ref, artifact_deleted_at } = row
  if (temp_artifact_ref === undefined || artifact_deleted_at !== undefined) return
  queue(ctx, `${import_id}:upload`, { temp_artifact_ref })
}

/** Has the unpacked files removed; only of an import that never was installed. */
export function throwAwayStaged(ctx: CommandContext, { import_id }: ImportRow): void {
  queue(ctx, `${import_id}:staged:${ctx.newId()}`, { staged: import_id })
}

function queue(ctx: CommandContext, name: string, payload: TidyWork): void {
  enqueueJob(ctx, { job_id: `${tidyKind}:${name}`, kind: tidyKind, lane: tidyKind, payload })
}
