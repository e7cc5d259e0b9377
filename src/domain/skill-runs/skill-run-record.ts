import type {
  SkillRun,
  SkillRunContainment,
  SkillRunOutcome,
  SkillRunOutput,
  SkillRunState,
} from '@apprentice/contracts/skills/runs.ts'
import { Failure } from '../../failure/failure.ts'
import type { Reader } from '../../store/db/db.ts'
import {
  deleteOutputEvents,
  findSkillRun,
  findSkillRunSettledBefore,
  listSkillRunCalls,
  type SkillRunRow,
  updateSkillRun,
} from '../../store/skill-runs/skill-runs.ts'
import type { CommandContext } from '../command/context.ts'
import { recordEvent } from '../command/ledger.ts'
import { releaseRunDevice, formatSkillRunSubject } from './skill-run-start.ts'

export interface OutputChunk {
  readonly stream: 'stdout' | 'stderr'
  readonly text: string
}

/** Appends output to the event stream of a run. */
export function recordOutputChunks(ctx: CommandContext, runId: string, chunks: readonly OutputChunk[]): void {
  for (const { stream, text } of chunks) {
    recordEvent(ctx, formatSkillRunSubject(runId), 'skill.run.printed', { stream, text })
  }
}

export interface StoredOutput {
  readonly stdout: SkillRunOutput
  readonly stderr: SkillRunOutput
  readonly log_folder?: string | undefined
  readonly containment: SkillRunContainment
}

/** Saves the output before the verdict, so that it is stored whatever the verdict is. */
export function saveOutput(ctx: CommandContext, runId: string, output: StoredOutput): void {
  updateSkillRun(ctx.tx, { ...getSkillRun(ctx.tx, runId), ...output })
}

export type SettledSkillRunState = Exclude<SkillRunState, 'queued' | 'running'>

export function settleSkillRun(
  ctx: CommandContext,
  runId: string,
  { state, outcome }: { readonly state: SettledSkillRunState; readonly outcome: SkillRunOutcome },
): void {
  const row = getSkillRun(ctx.tx, runId)
  if (row.settled_at !== undefined) return
  releaseRunDevice(ctx, row)
  updateSkillRun(ctx.tx, { ...row, state, outcome, lease_id: undefined, settled_at: ctx.now })
  recordEvent(ctx, formatSkillRunSubject(runId), 'skill.run.settled', {
    state,
    exit_code: outcome.exit_code,
    ...outcome.trouble,
  })
  deleteOldOutput(ctx)
}

/** The number of runs whose output is stored. Older runs retain only their outcome. */
export const MAX_STORED_OUTPUTS = 200

/** Each settled run deletes the output of one old run, which bounds the number of stored outputs. */
function deleteOldOutput(ctx: CommandContext): void {
  const old = findSkillRunSettledBefore(ctx.tx, MAX_STORED_OUTPUTS)
  if (old === undefined) return
  const { stdout, stderr } = old
  updateSkillRun(ctx.tx, { ...old, stdout: clearOutput(stdout), stderr: clearOutput(stderr) })
  deleteOutputEvents(ctx.tx, formatSkillRunSubject(old.run_id))
}

const clearOutput = ({ bytes }: SkillRunOutput): SkillRunOutput => ({
  text: '',
  bytes,
  dropped_bytes: bytes,
})

/** The outcome of a run without a verdict of its own. */
export const buildFailedOutcome = (code: string, message: string): SkillRunOutcome => ({
  exit_code: null,
  duration_ms: 0,
  skill_result: null,
  trouble: { code, message },
  warnings: [],
})

export function getSkillRun(reader: Reader, runId: string): SkillRunRow {
  const row = findSkillRun(reader, runId)
  if (row === undefined) throw new Error(`No row for skill run ${runId}.`)
  return row
}

/** Answers for another user's run as for an unknown id. */
export function getOwnSkillRun(reader: Reader, runId: string, userId: string): SkillRunRow {
  const row = findSkillRun(reader, runId)
  if (row === undefined || row.owner_user_id !== userId) {
    throw new Failure('SKILL_RUN_NOT_FOUND', `No run ${runId}.`)
  }
  return row
}

export function toSkillRun(reader: Reader, row: SkillRunRow): SkillRun {
  const { owner_user_id: _o, operator_package: _p, lease_id: _l, ...fields } = row
  return { ...fields, execution_ids: listSkillRunCalls(reader, row.run_id), schema_version: 1 }
}
