import {
  type ContainedAttempt,
  SCENE_RUN_PROBLEMS,
  type SceneConsoleLine,
  type SceneRun,
  type SceneRunFile,
  type SceneRunOutcome,
  type SceneRunPhase,
  type SceneReportSummary,
  type SceneRunProblemCode,
  type SceneRunState,
} from '@apprentice/contracts/scenes/run.ts'
import { Failure } from '../../failure/failure.ts'
import type { Reader } from '../../store/db/db.ts'
import {
  findSceneRun,
  insertSceneRunFile,
  listSceneRunFiles,
  type SceneRunRow,
  updateSceneRun,
} from '../../store/scenes/scene-runs.ts'
import type { CommandContext } from '../command/context.ts'
import { recordEvent } from '../command/ledger.ts'
import { recordSceneUseSettled, recordSceneUseStarted } from './scene-ability-run.ts'
import { formatSceneRunSubject } from './start-scene-run.ts'

export type SettledSceneRunState = Exclude<SceneRunState, 'queued' | 'running'>

/** How a run ended. */
export interface SceneRunEnding {
  readonly state: SettledSceneRunState
  readonly outcome: SceneRunOutcome
  readonly files: readonly Omit<SceneRunFile, 'expires_at'>[]
}

const RETENTION_MS = 7 * 24 * 3_600_000

export function beginSceneRun(ctx: CommandContext, row: SceneRunRow): void {
  updateSceneRun(ctx.tx, { ...row, state: 'running', started_at: ctx.now })
  recordSceneUseStarted(ctx, row.run_id)
  recordEvent(ctx, formatSceneRunSubject(row.run_id), 'scene.run.started')
}

export function recordScenePhase(ctx: CommandContext, runId: string, phase: SceneRunPhase): void {
  const row = getSceneRun(ctx.tx, runId)
  if (row.settled_at !== undefined) return
  updateSceneRun(ctx.tx, { ...row, phase })
  recordEvent(ctx, formatSceneRunSubject(runId), 'scene.run.progressed', { phase })
}

export function settleSceneRun(ctx: CommandContext, runId: string, { state, outcome, files }: SceneRunEnding): void {
  const row = getSceneRun(ctx.tx, runId)
  if (row.settled_at !== undefined) return
  const expires_at = new Date(Date.parse(ctx.now) + RETENTION_MS).toISOString()
  for (const file of files) insertSceneRunFile(ctx.tx, { run_id: runId, ...file, expires_at })
  const settled = { ...row, state, outcome, phase: undefined, settled_at: ctx.now }
  updateSceneRun(ctx.tx, settled)
  recordSceneUseSettled(ctx, settled, outcome)
  recordEvent(ctx, formatSceneRunSubject(runId), 'scene.run.settled', {
    state,
    artifact_status: outcome.artifact_status,
    row_count: outcome.report?.row_count,
    ...outcome.problem,
  })
}

/** What was seen in the page, whatever came of the run. */
export interface SeenInPage {
  readonly contained: readonly ContainedAttempt[]
  readonly console: readonly SceneConsoleLine[]
  readonly console_dropped: number
  readonly duration_ms: number
  readonly sandboxed?: boolean | undefined
}

const NOTHING_SEEN: SeenInPage = { contained: [], console: [], console_dropped: 0, duration_ms: 0 }
const MAX_MESSAGE = 1000

/** The outcome of a run with a report, which may say that it failed. */
export const buildReportOutcome = (
  { report, succeeded }: { readonly report: SceneReportSummary; readonly succeeded: boolean },
  seen: SeenInPage,
): SceneRunOutcome => ({
  ...pickSeen(seen),
  artifact_status: report.status,
  report,
  ...(succeeded ? {} : { problem: { code: 'SCENE_REPORTED_FAILURE', message: describeFailure(report) } }),
})

/** The outcome of a run without a report. */
export const buildProblemOutcome = (
  code: SceneRunProblemCode,
  message: string,
  seen: SeenInPage = NOTHING_SEEN,
): SceneRunOutcome => ({
  ...pickSeen(seen),
  artifact_status: SCENE_RUN_PROBLEMS[code],
  problem: { code, message: message.slice(0, MAX_MESSAGE) },
})

const pickSeen = ({ contained, console, console_dropped, duration_ms, sandboxed }: SeenInPage) => ({
  contained: [...contained],
  console: [...console],
  console_dropped,
  duration_ms,
  ...(sandboxed === undefined ? {} : { sandboxed }),
})

const describeFailure = ({ status, warnings: [first] }: SceneReportSummary): string =>
  `The script reported ${status}${first === undefined ? '.' : `: ${first}`}`.slice(0, MAX_MESSAGE)

export function getSceneRun(reader: Reader, runId: string): SceneRunRow {
  const row = findSceneRun(reader, runId)
  if (row === undefined) throw new Error(`No row for scene run ${runId}.`)
  return row
}

/** Answers for another user's run as for an unknown id. */
export function getOwnSceneRun(reader: Reader, runId: string, userId: string): SceneRunRow {
  const row = findSceneRun(reader, runId)
  if (row === undefined || row.owner_user_id !== userId) {
    throw new Failure('SCENE_RUN_NOT_FOUND', `No run ${runId}.`)
  }
  return row
}

export function toSceneRun(reader: Reader, row: SceneRunRow): SceneRun {
  const { owner_user_id: _owner, ...fields } = row
  const files = listSceneRunFiles(reader, row.run_id).map(({ run_id: _run, ...file }) => file)
  return { ...fields, files, schema_version: 1 }
}
