import type { ImportRow } from '../../../store/skill-import/skill-imports.ts'
import type { CommandContext } from '../../command/context.ts'
import { enqueueJob } from '../../command/jobs.ts'

export const TIDY_JOB_KIND = 'skill_import.tidy'
export const IMPORT_QUEUE = 'skill_import'

export interface TidyPayload {
  readonly temp_artifact_ref?: string | undefined
  /** The import whose stored files are removed, unless others need them. */
  readonly staged?: string | undefined
}

/** Queues the removal of an upload's bytes. */
export function queueUploadRemoval(ctx: CommandContext, row: ImportRow): void {
  const { import_id, temp_artifact_ref, artifact_deleted_at } = row
  if (temp_artifact_ref === undefined || artifact_deleted_at !== undefined) return
  queueTidy(ctx, `${import_id}:upload`, { temp_artifact_ref })
}

/** Queues the removal of stored files. Only valid for an import that was never installed. */
export function queueStagedRemoval(ctx: CommandContext, { import_id }: ImportRow): void {
  queueTidy(ctx, `${import_id}:staged:${ctx.newId()}`, { staged: import_id })
}

function queueTidy(ctx: CommandContext, name: string, payload: TidyPayload): void {
  enqueueJob(ctx, {
    job_id: `${TIDY_JOB_KIND}:${name}`,
    kind: TIDY_JOB_KIND,
    // The queue of the imports, so that nothing is unpacked while files are removed.
    lane: IMPORT_QUEUE,
    payload,
  })
}
