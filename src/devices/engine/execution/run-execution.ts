import type { Action } from '@apprentice/contracts/devices/action.ts'
import {
  type Execution,
  type ResultEnvelope,
  type StepResult,
  reconcileEnvelope,
} from '@apprentice/contracts/devices/execution.ts'
import type { EngineHost } from '../engine-host.ts'
import { EngineExecution } from '../engine-execution.ts'
import {
  type StepOutcome,
  type StepPosition,
  toTimedOutStep,
  toPassedOverResult,
  runStep,
  toSkippedResult,
} from './run-step.ts'
import { createNotes } from '../step-evidence.ts'
import { applyPickedDate } from './picked-date.ts'

export type { EngineHost, RecordingSwitch } from '../engine-host.ts'
export type { EffectFacts, StepEvidence } from '../step-evidence.ts'
export type { ScreenReading } from '../screen-reading.ts'

/**
 * Runs one payload on one device, step by step, up to the first failure. Failures of steps and of the
 * device are reported in the envelope. The promise rejects with the reason of the signal if it aborts, and
 * with the error of the host if a callback fails.
 */
export async function runExecution(payload: Execution, host: EngineHost): Promise<ResultEnvelope> {
  const execution = new EngineExecution(host, payload)
  const results: StepResult[] = []
  let last: StepOutcome | undefined
  let skipTo: string | undefined
  let actions: readonly Action[] = payload.actions
  for (const at of payload.actions.keys()) {
    const action = actions[at] as Action
    if (last?.stop !== undefined) {
      results.push(toSkippedResult(action))
      continue
    }
    host.signal.throwIfAborted()
    if (skipTo !== undefined && action.id !== skipTo) {
      results.push(await reportPassedOverStep(execution, action))
      continue
    }
    const previous = actions[at - 1]
    const following = actions.slice(at + 1)
    const completed = results.map(({ id }) => id)
    last = await runReportedStep(execution, action, {
      previous,
      following,
      completed,
      before: last?.ahead,
    })
    results.push(last.result)
    skipTo = last.result.data['skip_to']
    actions = applyPickedDate(actions, action, last.result)
  }
  return reconcileEnvelope({
    commandId: payload.commandId,
    taskId: payload.taskId,
    status: last?.stop === undefined ? 'success' : 'failed',
    stepResults: results,
    error: null,
    ...last?.stop,
  })
}

/** Reports a step that an earlier `skip_to` passed over. */
async function reportPassedOverStep(execution: EngineExecution, action: Action): Promise<StepResult> {
  const result = toPassedOverResult(action)
  await execution.host.onStepStarted({ id: action.id, type: action.type })
  await execution.host.onStepFinished(result, createNotes(action))
  return result
}

/** Runs a step and reports it to the host. Without remaining time, the step is neither started nor reported. */
async function runReportedStep(
  execution: EngineExecution,
  action: Action,
  position: StepPosition,
): Promise<StepOutcome> {
  if (execution.remainingMs() <= 0) return toTimedOutStep(execution, action, position)
  await execution.host.onStepStarted({ id: action.id, type: action.type })
  execution.host.signal.throwIfAborted()
  const outcome = await runStep(execution, action, position)
  await execution.host.onStepFinished(outcome.result, outcome.evidence)
  return outcome
}
