import type { Action } from '@apprentice/contracts/devices/action.ts'
import {
  type Execution,
  type ResultEnvelope,
  type StepResult,
  reconcileEnvelope,
} from '@apprentice/contracts/devices/execution.ts'
import type { EngineHost } from '../engine-host.ts'
import { EngineRun } from '../engine-run.ts'
import {
  type StepEnd,
  type StepPlace,
  neverBegun,
  passedOver,
  runStep,
  skippedResult,
} from './run-step.ts'
import { openNotes } from '../step-evidence.ts'

export type { EngineHost, RecordingSwitch } from '../engine-host.ts'
export type { EffectFacts, StepEvidence } from '../step-evidence.ts'
export type { ScreenReading } from '../screen-reading.ts'

/**
 * Runs one payload on one device, step by step, up to the first that fails. Whatever happens to the
 * device is told by the envelope; the promise rejects with the signal's reason when that aborts, and
 * with the host's own error when one of its callbacks fails.
 */
export async function runExecution(
  execution: Execution,
  host: EngineHost,
): Promise<ResultEnvelope> {
  const run = new EngineRun(host, execution.dismissals)
  const results: StepResult[] = []
  let last: StepEnd | undefined
  let goingTo: string | undefined
  for (const [at, action] of execution.actions.entries()) {
    if (last?.stop !== undefined) {
      results.push(skippedResult(action))
      continue
    }
    host.signal.throwIfAborted()
    if (goingTo !== undefined && action.id !== goingTo) {
      results.push(await passOver(run, action))
      continue
    }
    const [previous, next] = [execution.actions[at - 1], execution.actions[at + 1]]
    const completed = results.map(({ id }) => id)
    last = await doStep(run, action, { previous, next, completed, before: last?.ahead })
    results.push(last.result)
    goingTo = last.result.data['skip_to']
  }
  return reconcileEnvelope({
    commandId: execution.commandId,
    taskId: execution.taskId,
    status: last?.stop === undefined ? 'success' : 'failed',
    stepResults: results,
    error: null,
    ...last?.stop,
  })
}

/** A step that an earlier one has found to be needless. */
async function passOver(run: EngineRun, action: Action): Promise<StepResult> {
  const result = passedOver(action)
  await run.host.onStepStarted({ id: action.id, type: action.type })
  await run.host.onStepFinished(result, openNotes(action))
  return result
}

/** A step there is no time for is not begun, and nobody is told that it was. */
async function doStep(run: EngineRun, action: Action, place: StepPlace): Promise<StepEnd> {
  if (run.remainingMs() <= 0) return neverBegun(run, action, place)
  await run.host.onStepStarted({ id: action.id, type: action.type })
  run.host.signal.throwIfAborted()
  const ended = await runStep(run, action, place)
  await run.host.onStepFinished(ended.result, ended.evidence)
  return ended
}
