import type {
  SkillRunOutcome,
  SkillRunOutput,
  SkillRunState,
} from '@apprentice/contracts/skills/runs.ts'
import { Failure } from '../../failure/failure.ts'
import type { Reader } from '../../store/db/db.ts'
import {
  deletePrinted,
  findSkillRun,
  findSkillRunSettledBefore,
  type SkillRunRow,
  updateSkillRun,
} from '../../store/skill-runs/skill-runs.ts'
import type { CommandContext } from '../command/context.ts'
import { recordEvent } from '../command/ledger.ts'
import { giveDeviceBack, subjectOf } from './start-run.ts'

export interface PrintedPiece {
  readonly stream: 'stdout' | 'stderr'
  readonly text: string
}

/** What a script printed, as those who follow it see it. */
export function notePrinted(
  ctx: CommandContext,
  runId: string,
  pieces: readonly PrintedPiece[],
): void {
  for (const { stream, text } of pieces) {
    recordEvent(ctx, subjectOf(runId), 'skill.run.printed', { stream, text })
  }
}

export interface KeptOutput {
  readonly stdout: SkillRunOutput
  readonly stderr: SkillRunOutput
  readonly log_folder?: string | undefined
}

/** On record before anything is decided, so that it is there however the run is then judged. */
export function keepOutput(ctx: CommandContext, runId: string, output: KeptOutput): void {
  updateSkillRun(ctx.tx, { ...getSkillRun(ctx.tx, runId), ...output })
}

export type SettledRunState = Exclude<SkillRunState, 'queued' | 'running'>

export function settleSkillRun(
  ctx: CommandContext,
  runId: string,
  { state, outcome }: { readonly state: SettledRunState; readonly outcome: SkillRunOutcome },
): void {
  const row = getSkillRun(ctx.tx, runId)
  if (row.settled_at !== undefined) return
  giveDeviceBack(ctx, row)
  updateSkillRun(ctx.tx, { ...row, state, outcome, lease_id: undefined, settled_at: ctx.now })
  recordEvent(ctx, subjectOf(runId), 'skill.run.settled', {
    state,
    exit_code: outcome.exit_code,
    ...outcome.trouble,
  })
  forgetOldOutput(ctx)
}

/** Of so many runs the output is kept; of older ones only how they ended. */
export const outputsKept = 200

/** Each run that settles makes one old output go, so there are never many more than are kept. */
function forgetOldOutput(ctx: CommandContext): void {
  const old = findSkillRunSettledBefore(ctx.tx, outputsKept)
  if (old === undefined) return
  const { stdout, stderr } = old
  updateSkillRun(ctx.tx, { ...old, stdout: emptied(stdout), stderr: emptied(stderr) })
  deletePrinted(ctx.tx, subjectOf(old.run_id))
}

const emptied = ({ bytes }: SkillRunOutput): SkillRunOutput => ({
  text: '',
  bytes,
  dropped_bytes: bytes,
})

/** The outcome of a run that did not come to an end of its own. */
export const cutShort = (code: string, message: string): SkillRunOutcome => ({
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

/** The caller's run, or the same answer an unknown id gets. */
export function getOwnSkillRun(reader: Reader, runId: string, userId: string): SkillRunRow {
  const row = findSkillRun(reader, runId)
  if (row === undefined || row.owner_user_id !== userId) {
    throw new Failure('SKILL_RUN_NOT_FOUND', `No run ${runId}.`)
  }
  return row
}
