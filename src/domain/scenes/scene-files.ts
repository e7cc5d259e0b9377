import type { ReportFormat } from '@apprentice/contracts/scenes/artifact.ts'
import { Failure } from '../../failure/failure.ts'
import type { Reader } from '../../store/db/db.ts'
import {
  deleteSceneRunFiles,
  findSceneRun,
  listExpiredFileRuns,
  listSceneRunFiles,
  type SceneRunFileRow,
  updateSceneRun,
} from '../../store/scenes/scene-runs.ts'
import { asSystem, type CommandContext } from '../command/context.ts'
import { enqueueJob } from '../command/jobs.ts'
import { recordEvent } from '../command/ledger.ts'
import { getOwnSceneRun } from './scene-run-record.ts'
import { formatSceneRunSubject } from './start-scene-run.ts'

export const REPORT_REMOVAL_JOB_KIND = 'scene.reports.remove'
const BATCH_SIZE = 100

export interface OwnFile {
  readonly runId: string
  readonly format: ReportFormat
  readonly userId: string
}

export function getOwnReportFile(reader: Reader, { runId, format, userId }: OwnFile): SceneRunFileRow {
  const { run_id } = getOwnSceneRun(reader, runId, userId)
  const found = listSceneRunFiles(reader, run_id).find((file) => file.format === format)
  if (found !== undefined) return found
  throw new Failure('SCENE_REPORT_NOT_FOUND', 'The run has no report in this format, or it was deleted after its time.')
}

/** Deletes reports whose time is over, and what their pages printed. Returns how many runs had some. */
export function sweepSceneReports(ctx: CommandContext): number {
  const expired = listExpiredFileRuns(ctx.tx, ctx.now, BATCH_SIZE)
  for (const runId of expired) {
    deleteSceneRunFiles(ctx.tx, runId)
    const row = findSceneRun(ctx.tx, runId)
    if (row?.outcome === undefined) continue
    updateSceneRun(ctx.tx, { ...row, outcome: { ...row.outcome, console: [] } })
    recordEvent(asSystem(ctx, row.owner_user_id), formatSceneRunSubject(runId), 'scene.reports.expired')
  }
  if (expired.length > 0) {
    const job_id = `${REPORT_REMOVAL_JOB_KIND}:${ctx.newId()}`
    enqueueJob(ctx, { job_id, kind: REPORT_REMOVAL_JOB_KIND, lane: 'scenes/reports', payload: {} })
  }
  return expired.length
}
