import type { ImportRow } from '../../store/skill-import/skill-imports.ts'
import type { CommandContext } from '../command/context.ts'
import { enqueueJob } from '../command/jobs.ts'

export const scanKind = 'skill_import.scan'
export const stageKind = 'skill_import.stage'

export const importJobOf = ({
  import_id,
  attempts,
}: Pick<ImportRow, 'import_id' | 'attempts'>): string => `${import_id}:${attempts}`

/** One after the other: unpacking takes memory and time. */
export function queueImportWork(
  ctx: CommandContext,
  kind: typeof scanKind | typeof stageKind,
  row: ImportRow,
): void {
  enqueueJob(ctx, {
    job_id: importJobOf(row),
    kind,
    lane: 'skill_import',
    payload: { import_id: row.import_id },
  })
}
