import type { StepResult } from '@apprentice/contracts/devices/execution.ts'
import type { RunDrift } from '@apprentice/contracts/abilities/runs.ts'
import { hasActed } from '../../knowledge/verification/run-outcome.ts'
import type { Reader } from '../../store/db/db.ts'
import { type AbilityRunRow, findAbilityRun, type RunOutcome, updateAbilityRun } from '../../store/runs/ability-runs.ts'
import { findRunItem, updateRunItem } from '../../store/runs/run-items.ts'
import { countRunParts, findPartByExecution, type RunPartRow } from '../../store/runs/run-parts.ts'
import type { CommandContext } from '../command/context.ts'
import { recordEvent } from '../command/ledger.ts'
import { formatRunSubject } from './queue-part.ts'
import { leaseForRun } from './run-lease.ts'
import { qualifyId } from './run-outcome.ts'
import { reportCheckpoint } from './run-checkpoints.ts'

/** The run and the part that an execution belongs to. Undefined for an execution of no run. */
export function findRunPart(
  reader: Reader,
  executionId: string,
): { readonly run: AbilityRunRow; readonly part: RunPartRow } | undefined {
  const part = findPartByExecution(reader, executionId)
  const run = part && findAbilityRun(reader, part.run_id)
  return run && part && { run, part }
}

/** Call when an execution starts. Does nothing if it belongs to no ability run. */
export function recordRunStarted(ctx: CommandContext, executionId: string): void {
  const found = findRunPart(ctx.tx, executionId)
  if (found?.run.state !== 'queued') return
  const { run } = found
  const lease_id = countRunParts(ctx.tx, run.run_id) > 1 ? leaseForRun(ctx, run) : undefined
  updateAbilityRun(ctx.tx, { ...run, state: 'running', lease_id })
  const first = run.items_total === undefined ? undefined : findRunItem(ctx.tx, run.run_id, 0)
  if (first !== undefined) updateRunItem(ctx.tx, { ...first, state: 'running' })
}

/** Call when a step starts. */
export function recordRunStepStarted(
  ctx: CommandContext,
  executionId: string,
  step: { readonly id: string; readonly type: string },
): void {
  const found = findRunPart(ctx.tx, executionId)
  if (found !== undefined)
    recordStepEvent(ctx, found, 'ability.run.step_started', { id: step.id, action_type: step.type })
}

/** Call when a step has finished: records reached checkpoints, outputs and drift as they occur. */
export function recordRunStep(
  ctx: CommandContext,
  executionId: string,
  { result, outputs }: { readonly result: StepResult; readonly outputs: RunOutcome['outputs'] },
): void {
  const found = findRunPart(ctx.tx, executionId)
  if (found === undefined) return
  const { run, part } = found
  const planned = part.plan.find(({ action_id }) => action_id === result.id)
  const reached = result.success ? planned?.checkpoint_id : undefined
  const step_id = qualifyId(part, planned?.step_id ?? result.id)
  changeOutcome(ctx, run, part.item, (outcome) => ({
    ...addStepResult(outcome, result, { step_id, reached: reached && qualifyId(part, reached) }),
    outputs: { ...outcome.outputs, ...outputs },
    drift: [...outcome.drift, ...readDrift(result, step_id)],
  }))
  if (reached !== undefined) reportCheckpoint(ctx, { run, part }, { checkpoint_id: reached, status: 'reached' })
  const { success, outcome, actionType: action_type } = result
  const facts = { id: result.id, action_type, success, outcome, error: result.data['error'] }
  recordStepEvent(ctx, found, 'ability.run.step_finished', facts)
}

/** Changes the outcome of an item of a list, or of a run without a list. */
function changeOutcome(
  ctx: CommandContext,
  run: AbilityRunRow,
  item: number,
  change: (outcome: RunOutcome) => RunOutcome,
): void {
  const row = run.items_total === undefined ? undefined : findRunItem(ctx.tx, run.run_id, item)
  if (row === undefined) updateAbilityRun(ctx.tx, { ...run, outcome: change(run.outcome) })
  else updateRunItem(ctx.tx, { ...row, outcome: change(row.outcome) })
}

function recordStepEvent(
  ctx: CommandContext,
  { run, part }: { readonly run: AbilityRunRow; readonly part: RunPartRow },
  kind: 'ability.run.step_started' | 'ability.run.step_finished',
  { id, ...facts }: { readonly id: string; readonly [more: string]: unknown },
): void {
  const { run_id, items_total } = run
  recordEvent(ctx, formatRunSubject(run_id), kind, {
    run_id,
    step_id: qualifyId(part, id),
    ...(items_total === undefined ? {} : { item: part.item }),
    ...(part.call === '' ? {} : { ability_id: part.ability_id }),
    ...facts,
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
  const { expected_count, observed_count, used_fallback, agreed_anchor } = data
  if (outcome !== 'partial' && expected_count === undefined && agreed_anchor === undefined) return []
  return [
    {
      step_id,
      ...(expected_count === undefined ? {} : { expected_count: Number(expected_count) }),
      ...(observed_count === undefined ? {} : { observed_count: Number(observed_count) }),
      ...(used_fallback === undefined ? {} : { used_fallback: Number(used_fallback) }),
      ...(agreed_anchor === undefined ? {} : { agreed_anchor: Number(agreed_anchor) }),
    },
  ]
}
