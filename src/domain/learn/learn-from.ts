import type { LearnFromBody } from '@apprentice/contracts/abilities/learn-from.ts'
import { Failure } from '../../failure/failure.ts'
import { findAbility } from '../../store/abilities/abilities.ts'
import { type AbilityRunRow, findRunOfExecution } from '../../store/runs/ability-runs.ts'
import type { Reader } from '../../store/db/db.ts'
import { findExecutionPolicy } from '../../store/devices/execution-policies.ts'
import { findExecutionSteps, type KeptStep } from '../../store/devices/execution-steps.ts'
import type { ExecutionRow } from '../../store/devices/executions.ts'
import type { StoredSession } from '../../store/sessions/learn-sessions.ts'
import { findOwnUseReceipt } from '../../store/runs/use-receipts.ts'
import type { CommandContext } from '../command/context.ts'
import { getOwnExecution } from '../devices/executions.ts'
import { improveFromRun } from '../runs/drift.ts'
import { getOwnRun } from '../runs/run-view.ts'
import { createLearnSession } from '../sessions/create-session.ts'
import { fillWithRuns, keepAsTraces, type PastRun, traceIdOf } from '../capture/past-runs.ts'
import type { SlotRule } from '../sessions/session-machine.ts'

interface Rules {
  readonly rule: SlotRule
  readonly salt: string
}

export interface LearnedFrom {
  readonly session: StoredSession
  readonly captured_trace_ids: string[]
  readonly drift?: ReturnType<typeof improveFromRun>['drift']
}

/** A session made of what was done before. A run of an ability that went wrong improves that ability instead. */
export function learnFromRuns(ctx: CommandContext, body: LearnFromBody, rules: Rules): LearnedFrom {
  const executions = executionsOf(ctx, body)
  const [only, ...others] = executions
  const run = only && findRunOfExecution(ctx.tx, only.execution_id)
  if (run?.outcome.trouble !== undefined && others.length === 0) {
    return { ...improveFromRun(ctx, run.run_id, rules), captured_trace_ids: [] }
  }
  const runs = executions.map((execution) => pastRun(ctx.tx, execution))
  keepAsTraces(ctx, runs)
  const { project_id, room_id, build_policy, execution_mode } = body
  const armed = createLearnSession(
    ctx,
    {
      entry_mode: 'coaching_agent',
      observation_mode: 'none',
      device_serial: only?.serial,
      project_id: project_id ?? only?.project_id,
      room_id,
      build_policy,
      execution_mode,
      ask_before_build: body.ask_before_build,
      allow_private_install: body.allow_private_install,
      selected_trace_ids: runs.map(traceIdOf),
    },
    rules,
  )
  const goal = body.goal ?? runs.find((one) => one.goal !== '')?.goal ?? ''
  const session = fillWithRuns(ctx, armed, { runs, goal })
  return { session, captured_trace_ids: session.active_trace_ids }
}

/** Each execution once, in the order they were named. */
function executionsOf(ctx: CommandContext, body: LearnFromBody): ExecutionRow[] {
  const user = ctx.actor.user_id
  const runIds = [...body.run_ids, ...body.receipt_ids.map((id) => runBehind(ctx.tx, id, user))]
  const ids = [
    ...body.execution_ids,
    ...runIds.map((id) => getOwnRun(ctx.tx, id, user).execution_id),
  ]
  return [...new Set(ids)].map((id) => getOwnExecution(ctx.tx, id, user))
}

function runBehind(reader: Reader, receiptId: string, user: string): string {
  const run = findOwnUseReceipt(reader, user, receiptId)?.operation_id
  if (run !== undefined) return run
  throw new Failure('INVALID_REQUEST', `receipt_ids names no receipt of a run: ${receiptId}.`, {
    details: { field: 'receipt_ids' },
  })
}

/** What can be learned from an execution; nothing is made up where nothing was kept. */
function pastRun(reader: Reader, execution: ExecutionRow): PastRun {
  const { execution_id, state } = execution
  const run = findRunOfExecution(reader, execution_id)
  if (state !== 'succeeded' || (run !== undefined && run.state !== 'success')) {
    throw new Failure('EXECUTION_NOT_SUCCESSFUL', 'Only what went well can be learned from.', {
      details: { execution_id, state: run?.state ?? state },
    })
  }
  const kept = findExecutionSteps(reader, execution_id)
  if (kept === undefined || !kept.steps.some(hasScreen)) {
    throw new Failure('EXECUTION_WITHOUT_EVIDENCE', 'No screens of this execution were kept.', {
      details: { execution_id, reason: whyNothing(reader, execution_id) },
    })
  }
  return { execution, kept, goal: goalOf(reader, execution, run) }
}

const hasScreen = ({ before_ref, after_ref }: KeptStep): boolean =>
  (before_ref ?? after_ref) !== undefined

/** A rehearsal is no work of anybody's; of others nothing was observed, or it was forgotten since. */
const whyNothing = (reader: Reader, executionId: string): string =>
  findExecutionPolicy(reader, executionId) === undefined ? 'not_kept' : 'rehearsal'

export function goalOf(
  reader: Reader,
  { goal }: ExecutionRow,
  run: AbilityRunRow | undefined,
): string {
  if (goal !== undefined || run === undefined) return goal ?? ''
  return findAbility(reader, run.ability_id)?.title ?? ''
}
