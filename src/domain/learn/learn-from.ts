import type { LearnFromBody } from '@apprentice/contracts/abilities/learn-from.ts'
import { Failure } from '../../failure/failure.ts'
import { findAbility } from '../../store/abilities/abilities.ts'
import { type AbilityRunRow, findRunByExecution } from '../../store/runs/ability-runs.ts'
import type { Reader } from '../../store/db/db.ts'
import { findExecutionPolicy } from '../../store/devices/execution-policies.ts'
import { findExecutionSteps, type StoredExecutionStep } from '../../store/devices/execution-steps.ts'
import type { ExecutionRow } from '../../store/devices/executions.ts'
import type { StoredSession } from '../../store/sessions/learn-sessions.ts'
import { findOwnUseReceipt } from '../../store/runs/use-receipts.ts'
import type { CommandContext } from '../command/context.ts'
import { getOwnExecution } from '../devices/executions.ts'
import { improveFromRun } from '../runs/improve-from-run.ts'
import { getOwnRun } from '../runs/run-view.ts'
import { createLearnSession } from '../sessions/create-session.ts'
import { fillFromPastExecutions, saveAsTraces, type PastExecution, getTraceId } from '../capture/past-executions.ts'
import type { SlotRule } from '../sessions/session-machine.ts'

interface SessionRules {
  readonly rule: SlotRule
  readonly salt: string
}

export interface LearnFromResult {
  readonly session: StoredSession
  readonly captured_trace_ids: string[]
  readonly drift?: ReturnType<typeof improveFromRun>['drift']
}

/** Creates a session from past executions. A single failed ability run improves that ability instead. */
export function learnFromRuns(ctx: CommandContext, body: LearnFromBody, rules: SessionRules): LearnFromResult {
  const executions = listExecutions(ctx, body)
  const [only, ...others] = executions
  const run = only && findRunByExecution(ctx.tx, only.execution_id)
  if (run?.outcome.trouble !== undefined && others.length === 0) {
    return { ...improveFromRun(ctx, run.run_id, rules), captured_trace_ids: [] }
  }
  const past = executions.map((execution) => readPastExecution(ctx.tx, execution))
  saveAsTraces(ctx, past)
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
      selected_trace_ids: past.map(getTraceId),
    },
    rules,
  )
  const goal = body.goal ?? past.find((one) => one.goal !== '')?.goal ?? ''
  const session = fillFromPastExecutions(ctx, armed, { executions: past, goal })
  return { session, captured_trace_ids: session.active_trace_ids }
}

/** The requested executions without duplicates, in request order. */
function listExecutions(ctx: CommandContext, body: LearnFromBody): ExecutionRow[] {
  const user = ctx.actor.user_id
  const runIds = [...body.run_ids, ...body.receipt_ids.map((id) => getReceiptRun(ctx.tx, id, user))]
  const ids = [...body.execution_ids, ...runIds.map((id) => getOwnRun(ctx.tx, id, user).execution_id)]
  return [...new Set(ids)].map((id) => getOwnExecution(ctx.tx, id, user))
}

function getReceiptRun(reader: Reader, receiptId: string, user: string): string {
  const run = findOwnUseReceipt(reader, user, receiptId)?.operation_id
  if (run !== undefined) return run
  throw new Failure('INVALID_REQUEST', `receipt_ids contains no receipt of an ability run: ${receiptId}.`, {
    details: { field: 'receipt_ids' },
  })
}

/** Throws if the execution failed or has no stored screens. */
function readPastExecution(reader: Reader, execution: ExecutionRow): PastExecution {
  const { execution_id, state } = execution
  const run = findRunByExecution(reader, execution_id)
  if (state !== 'succeeded' || (run !== undefined && run.state !== 'success')) {
    throw new Failure('EXECUTION_NOT_SUCCESSFUL', 'Only successful executions can be learned from.', {
      details: { execution_id, state: run?.state ?? state },
    })
  }
  const evidence = findExecutionSteps(reader, execution_id)
  if (evidence === undefined || !evidence.steps.some(hasScreen)) {
    throw new Failure('EXECUTION_WITHOUT_EVIDENCE', 'No screens of this execution are stored.', {
      details: { execution_id, reason: explainMissingEvidence(reader, execution_id) },
    })
  }
  return { execution: execution, evidence: evidence, goal: findGoal(reader, execution, run) }
}

const hasScreen = ({ before_ref, after_ref }: StoredExecutionStep): boolean => (before_ref ?? after_ref) !== undefined

/** Rehearsals are never recorded. Other executions were not observed, or their screens were purged. */
const explainMissingEvidence = (reader: Reader, executionId: string): string =>
  findExecutionPolicy(reader, executionId) === undefined ? 'not_kept' : 'rehearsal'

export function findGoal(reader: Reader, { goal }: ExecutionRow, run: AbilityRunRow | undefined): string {
  if (goal !== undefined || run === undefined) return goal ?? ''
  return findAbility(reader, run.ability_id)?.title ?? ''
}
