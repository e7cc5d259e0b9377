import { hash } from 'node:crypto'
import { type Execution, MIN_TIMEOUT_MS } from '@apprentice/contracts/devices/execution.ts'
import { Failure } from '../../failure/failure.ts'
import { findAbility } from '../../store/abilities/abilities.ts'
import type { ExecutionRow } from '../../store/devices/executions.ts'
import type { AbilityRunRow } from '../../store/runs/ability-runs.ts'
import { type RunPartRow, updateRunPart } from '../../store/runs/run-parts.ts'
import { asSystem, type CommandContext } from '../command/context.ts'
import { recordEvent } from '../command/ledger.ts'
import { CONTINUATION_PRIORITY, queueExecution } from '../devices/executions.ts'
import type { RunEnding } from './run-outcome.ts'

export interface PartQueueing {
  readonly run_id: string
  readonly deadline_at: string
  readonly serial?: string | undefined
  readonly priority: number
}

export const formatRunSubject = (runId: string): string => `run/${runId}`

/** Queues one execution of a run. Its time limit is its own, or what is left of the run's. */
export function queuePart(
  ctx: CommandContext,
  { execution, position }: { readonly execution: Execution; readonly position: number },
  { run_id, deadline_at, serial, priority }: PartQueueing,
): ExecutionRow {
  const remainingMs = Date.parse(deadline_at) - Date.parse(ctx.now)
  const timed = { ...execution, timeoutMs: Math.min(execution.timeoutMs, remainingMs) }
  const queued = queueExecution(ctx, {
    execution: timed,
    payload_sha256: hash('sha256', JSON.stringify(timed), 'hex'),
    serial,
    priority,
    deadline_at,
  })
  recordEvent(ctx, formatRunSubject(run_id), 'ability.run.execution_queued', {
    run_id,
    execution_id: queued.execution_id,
    position,
    actions: execution.actions.length,
  })
  return queued
}

/** Queues a further part of a run. Returns why the run ends instead, if it does. */
export function queueNextPart(ctx: CommandContext, run: AbilityRunRow, part: RunPartRow): RunEnding | undefined {
  const refusal = findRefusal(ctx, run, part)
  if (refusal !== undefined) return refusal
  const { payload: execution, ...rest } = part
  if (execution === undefined) throw new Error(`Part ${part.position} of run ${run.run_id} has no payload.`)
  const { run_id, serial, deadline_at = ctx.now } = run
  try {
    const { execution_id } = queuePart(
      asSystem(ctx, run.owner_user_id),
      { execution, position: part.position },
      { run_id, serial, deadline_at, priority: CONTINUATION_PRIORITY },
    )
    updateRunPart(ctx.tx, { ...rest, execution_id })
    return undefined
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return { state: 'failed', error_code: error.code, error: error.message }
  }
}

function findRefusal(ctx: CommandContext, run: AbilityRunRow, part: RunPartRow): RunEnding | undefined {
  if (run.cancel_requested_at !== undefined) {
    return { state: 'cancelled', error_code: 'EXECUTION_CANCELLED', error: 'The run was cancelled.' }
  }
  const off = [run.ability_id, part.ability_id].find((id) => isSwitchedOff(ctx, id))
  if (off !== undefined) {
    const error = `${off} was removed, disabled or quarantined during the run.`
    return { state: 'failed', error_code: 'ABILITY_UNUSABLE', error }
  }
  const remainingMs = Date.parse(run.deadline_at ?? ctx.now) - Date.parse(ctx.now)
  if (remainingMs >= MIN_TIMEOUT_MS) return undefined
  const error = `The run did not finish within ${run.timeout_ms ?? 0} ms.`
  return { state: 'failed', error_code: 'RESULT_ENVELOPE_TIMEOUT', error }
}

function isSwitchedOff(ctx: CommandContext, abilityId: string): boolean {
  const ability = findAbility(ctx.tx, abilityId)
  return ability === undefined || !ability.enabled || ability.install_lane === 'quarantined'
}
