import { type Target, resolveTarget } from '../../../screen/matcher.ts'
import type { ActionParams } from './action-params.ts'
import type { EngineExecution } from '../engine-execution.ts'
import { dismissObstruction } from '../obstruction.ts'
import { BackToStart } from './back-to-start.ts'
import type { ScreenReadResult } from '../screen-reading.ts'
import { toTreeFailure } from '../read-screen.ts'
import { type StepNotes, readDisplayedLabel } from '../step-evidence.ts'
import type { StepData, StepFailure } from '../step-failure.ts'
import { recordTarget, toUnresolvedFailure } from '../target-lookup.ts'

/**
 * Reads the screen until it contains the node or the time limit has passed; at least once, and once more
 * at the end. The retries of the step are ignored, because they could end the wait early.
 */
export async function waitForNode(
  execution: EngineExecution,
  params: ActionParams<'wait_for_node'>,
  notes: StepNotes,
): Promise<StepData> {
  const timeoutMs = params.timeoutMs ?? execution.remainingMs()
  // Without its own limit the wait lasts as long as the execution.
  const endsAt = params.timeoutMs === undefined ? Infinity : execution.now() + timeoutMs
  const back = params.backUntilShown === true ? new BackToStart(execution) : undefined
  let failure: StepFailure | undefined
  for (;;) {
    const reusable = execution.takeReusableReading()
    const result: ScreenReadResult =
      reusable === undefined ? await execution.dumpScreen() : { ok: true, reading: reusable }
    const outcome = evaluate(result, params, notes)
    if ('data' in outcome) {
      const presses = back?.presses ?? 0
      const facts = { timeout_ms: String(Math.round(timeoutMs)), ...(presses > 0 && { back_presses: String(presses) }) }
      return { ...outcome.data, ...facts }
    }
    // The failure of a good reading is kept over that of a later failed one.
    if (result.ok || failure === undefined || failure.error === TREE_UNAVAILABLE) failure = outcome.failure
    const { seen } = outcome.failure
    if (seen !== undefined && (await dismissObstruction(execution, seen))) continue
    if (seen !== undefined && (await back?.press(seen)) === true) continue
    if (execution.now() >= endsAt) throw failure
    execution.lastError = failure.error
    await execution.sleep(Math.min(POLL_MS, endsAt - execution.now()))
  }
}

const POLL_MS = 200
const TREE_UNAVAILABLE = 'UI_TREE_UNAVAILABLE'

function evaluate(
  result: ScreenReadResult,
  target: Target,
  notes: StepNotes,
): { readonly data: StepData } | { readonly failure: StepFailure } {
  if (!result.ok) return { failure: toTreeFailure(result) }
  const { reading } = result
  const resolution = resolveTarget(reading.hierarchy, target)
  if (resolution.kind !== 'found') return { failure: toUnresolvedFailure(resolution, reading) }
  const { node } = recordTarget({ reading, ...resolution }, notes)
  return {
    data: { resource_id: node.attributes['resource-id'] ?? '', label: readDisplayedLabel(node) },
  }
}
