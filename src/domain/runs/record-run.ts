import type { StepResult } from '@apprentice/contracts/devices/execution.ts'
import type { CapabilityUseReceipt, RunDrift } from '@apprentice/contracts/abilities/runs.ts'
import {
  type AbilityRunRow,
  findRunByExecution,
  type RunOutcome,
  updateAbilityRun,
} from '../../store/runs/ability-runs.ts'
import { findAbility } from '../../store/abilities/abilities.ts'
import { type ExecutionRow, findExecution } from '../../store/devices/executions.ts'
import { appendTrace } from '../../store/capture/traces.ts'
import { appendUseReceipt } from '../../store/runs/use-receipts.ts'
import { type CommandContext, asSystem } from '../command/context.ts'
import { recordCapabilityOutcome } from '../capabilities/outcomes.ts'
import { recordCheckpoint } from '../sessions/checkpoints.ts'
import { recordEvent } from '../command/ledger.ts'
import {
  type SettledExecution,
  hasActed,
  findNextCheckpoint,
  decideRunState,
  describeFailure,
  readVerifications,
} from '../../knowledge/verification/run-outcome.ts'
import { buildRunTrace } from './run-trace.ts'

/** Call when an execution starts. Does nothing if it belongs to no ability run. */
export function recordRunStarted(ctx: CommandContext, executionId: string): void {
  const run = findRunByExecution(ctx.tx, executionId)
  if (run?.state === 'queued') updateAbilityRun(ctx.tx, { ...run, state: 'running' })
}

/** Call when a step has finished: records reached checkpoints, outputs and drift as they occur. */
export function recordRunStep(
  ctx: CommandContext,
  executionId: string,
  { result, outputs }: { readonly result: StepResult; readonly outputs: RunOutcome['outputs'] },
): void {
  const run = findRunByExecution(ctx.tx, executionId)
  if (run === undefined) return
  const planned = run.plan.find(({ action_id }) => action_id === result.id)
  const reached = result.success ? planned?.checkpoint_id : undefined
  const step_id = planned?.step_id ?? result.id
  const outcome = {
    ...addStepResult(run.outcome, result, { step_id, reached }),
    outputs: { ...run.outcome.outputs, ...outputs },
    drift: [...run.outcome.drift, ...readDrift(result, step_id)],
  }
  updateAbilityRun(ctx.tx, { ...run, outcome })
  if (reached !== undefined) reportCheckpoint(ctx, run, { checkpoint_id: reached, status: 'reached' })
}

/** Call when the execution has ended: stores the outcome, a use receipt, a trace and the capability outcome. */
export function recordRunSettled(ctx: CommandContext, executionId: string): void {
  const run = findRunByExecution(ctx.tx, executionId)
  const execution = findExecution(ctx.tx, executionId)
  if (run === undefined || execution === undefined) return
  const finished = toEndedExecution(execution)
  const state = decideRunState(run.plan, finished)
  const trouble = describeFailure(run.plan, finished)
  const settled: AbilityRunRow = {
    ...run,
    state,
    outcome: {
      ...run.outcome,
      verification: readVerifications(run.plan, finished.step_results),
      ...(trouble === undefined ? {} : { trouble }),
    },
    use_receipt_id: ctx.newId(),
    settled_at: ctx.now,
  }
  updateAbilityRun(ctx.tx, settled)
  reportFailedCheckpoint(ctx, settled, finished)
  appendUseReceipt(ctx.tx, run.owner_user_id, buildUseReceipt(ctx, settled, execution))
  appendTrace(ctx.tx, buildRunTrace(ctx, settled, execution))
  recordOutcome(ctx, settled)
  recordEvent(ctx, `execution/${executionId}`, 'ability.run.settled', {
    run_id: run.run_id,
    ability_id: run.ability_id,
    state,
    ...(trouble === undefined ? {} : { code: trouble.code, step_id: trouble.step_id }),
  })
}

function addStepResult(
  outcome: RunOutcome,
  result: StepResult,
  { step_id, reached }: { step_id: string; reached: string | undefined },
): RunOutcome {
  const { used_fallback, dismissed } = result.data
  return {
    ...outcome,
    acted: outcome.acted || hasActed(result),
    checkpoints_reached: [...outcome.checkpoints_reached, ...(reached === undefined ? [] : [reached])],
    used_fallbacks: [...outcome.used_fallbacks, ...(used_fallback === undefined ? [] : [step_id])],
    dismissed: [...outcome.dismissed, ...(dismissed === undefined ? [] : [dismissed])],
  }
}

function readDrift({ outcome, data }: StepResult, step_id: string): RunDrift[] {
  const { expected_count, observed_count, used_fallback } = data
  if (outcome !== 'partial' && expected_count === undefined) return []
  return [
    {
      step_id,
      ...(expected_count === undefined ? {} : { expected_count: Number(expected_count) }),
      ...(observed_count === undefined ? {} : { observed_count: Number(observed_count) }),
      ...(used_fallback === undefined ? {} : { used_fallback: Number(used_fallback) }),
    },
  ]
}

const toEndedExecution = ({ state, step_results, envelope }: ExecutionRow): SettledExecution => ({
  state,
  step_results: envelope?.stepResults ?? step_results,
  error_code: envelope?.errorCode ?? undefined,
  error: envelope?.error ?? undefined,
})

/** Reports the checkpoint that the failed step was to reach. */
function reportFailedCheckpoint(ctx: CommandContext, run: AbilityRunRow, finished: SettledExecution): void {
  const { trouble } = run.outcome
  if (trouble === undefined || run.state === 'cancelled') return
  const failed = finished.step_results.find(({ success, outcome }) => !success && outcome !== 'skipped')
  const checkpoint_id = failed && findNextCheckpoint(run.plan, failed.id)
  if (checkpoint_id === undefined) return
  const reason = `${trouble.code}: ${trouble.message}`
  reportCheckpoint(ctx, run, { checkpoint_id, status: 'failed', reason })
}

function reportCheckpoint(
  ctx: CommandContext,
  run: AbilityRunRow,
  { checkpoint_id, status, reason }: { checkpoint_id: string; status: 'reached' | 'failed'; reason?: string },
): void {
  const { ability_id, dispatch_id, run_id, owner_user_id } = run
  recordCheckpoint(asSystem(ctx, owner_user_id), {
    checkpoint_id,
    status,
    evidence: `Run ${run_id} on ${run.serial}, read by the runtime.`,
    ...(reason === undefined ? {} : { reason: reason.slice(0, 500) }),
    dispatch_id: dispatch_id ?? run_id,
    ability_id,
    schema_version: 1,
  })
}

/** A run whose steps all succeeded, but whose outcome no check covers, says nothing about the capability. */
function recordOutcome(ctx: CommandContext, run: AbilityRunRow): void {
  if (run.state === 'cancelled' || run.outcome.trouble?.code === 'NOT_VERIFIED') return
  const { trouble } = run.outcome
  const fingerprint = trouble && `${trouble.code}@${trouble.step_id ?? 'end'}`.slice(0, 160)
  recordCapabilityOutcome(asSystem(ctx, run.owner_user_id), {
    capability_id: findAbility(ctx.tx, run.ability_id)?.primary_capability_id ?? run.ability_id,
    success: run.state === 'success',
    fingerprint,
    fallback_used: run.outcome.used_fallbacks.length > 0,
  })
}

const USE_RESULTS = {
  success: 'success',
  failed: 'failure',
  indeterminate: 'failure',
  cancelled: 'cancelled',
  queued: 'failure',
  running: 'failure',
} as const

function buildUseReceipt(ctx: CommandContext, run: AbilityRunRow, execution: ExecutionRow): CapabilityUseReceipt {
  const { dispatch_id, project_id, outcome, state } = run
  return {
    receipt_id: run.use_receipt_id ?? ctx.newId(),
    capability_id: findAbility(ctx.tx, run.ability_id)?.primary_capability_id ?? run.ability_id,
    ...(dispatch_id === undefined ? {} : { dispatch_id }),
    operation_id: run.run_id,
    route_trace_id: run.execution_id,
    approval_mode: 'autonomous',
    receipt_detail_level: 'standard',
    ...(project_id === undefined ? {} : { project_id }),
    result: USE_RESULTS[state],
    identity_asserted_kind: 'local_user',
    identity_asserted_ref: run.owner_user_id,
    correlation_id: ctx.correlation_id,
    route_surface: 'raw_ui',
    summary: `${run.ability_id} on ${run.serial}: ${outcome.trouble?.code ?? state}`.slice(0, 240),
    started_at: execution.started_at ?? run.created_at,
    completed_at: ctx.now,
    created_at: ctx.now,
    schema_version: 1,
  }
}
