import type { ImportRow } from '../../store/skill-import/skill-imports.ts'
import type { CommandContext } from '../command/context.ts'
import { enqueueJob } from '../command/jobs.ts'
import { IMPORT_QUEUE } from './record/artifact-removal.ts'

export const SCAN_JOB_KIND = 'skill_import.scan'
export const STAGE_JOB_KIND = 'skill_import.stage'

export const formatImportJobId = ({ import_id, attempts }: Pick<ImportRow, 'import_id' | 'attempts'>): string =>
  `${import_id}:${attempts}`

/** Imports are processed one at a time, because unpacking needs memory. */
export function queueImportJob(
  ctx: CommandContext,
  kind: typeof SCAN_JOB_KIND | typeof STAGE_JOB_KIND,
  row: ImportRow,
): void {
  enqueueJob(ctx, {
    job_id: formatImportJobId(row),
    kind,
    lane: IMPORT_QUEUE,
    payload: { import_id: row.import_id },
  })
}
