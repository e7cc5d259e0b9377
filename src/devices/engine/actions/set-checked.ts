import { findCheckable } from '../../../screen/checkable.ts'
import { type UiNode, isTrue } from '../../../screen/tree/hierarchy.ts'
import { summarizeNode } from '../../../screen/matcher.ts'
import type { ActionParams } from './action-params.ts'
import type { EngineExecution } from '../engine-execution.ts'
import { type TrackedNode, findTrackedNode } from './tracked-node.ts'
import { dismissListed } from '../obstruction.ts'
import { LoadingWait } from '../loading-wait.ts'
import { withRetry } from '../retry.ts'
import type { ScreenReading } from '../screen-reading.ts'
import { readScreen } from '../read-screen.ts'
import { type StepNotes, describeNode, readDisplayedLabel } from '../step-evidence.ts'
import { type StepData, StepFailure } from '../step-failure.ts'
import { findOnCurrentScreen } from '../target-lookup.ts'
import { touchNode } from '../touch.ts'

type SetChecked = ActionParams<'set_checked'>

/** Sets a switch. Touches it at most once, and not at all if it already has the state. */
export async function setChecked(execution: EngineExecution, params: SetChecked, notes: StepNotes): Promise<StepData> {
  const { matcher, container, strict, checked } = params
  const target = { matcher, container, strict }
  const facts = { checked: String(checked) }
  const started = await withRetry(execution, params.retry, async () => {
    const found = await findOnCurrentScreen(execution, target, notes)
    const { reading, node } = found
    const control = findControl(reading, node)
    notes.node = describeNode(control)
    const tracked = { target, node, reading }
    if (isTrue(control, 'checked') === checked) return { tracked, control }
    return {
      tracked,
      control,
      point: await touchNode(execution, { ...found, node: control }, 'click', notes),
    }
  })
  const named = { ...facts, label: readDisplayedLabel(started.control) }
  if (started.point === undefined) return { ...named, already: 'true' }
  await waitUntilChecked(execution, { tracked: started.tracked, checked }, notes)
  return { ...named, coordinate: `${started.point.x},${started.point.y}` }
}

function findControl({ hierarchy }: ScreenReading, node: UiNode): UiNode {
  const control = findCheckable(hierarchy, node)
  if (control.kind === 'found') return control.node
  if (control.kind === 'none') {
    const message = 'Neither the node nor its row can be checked.'
    throw new StepFailure('NODE_NOT_CHECKABLE', message)
  }
  const { nodes } = control
  const candidates = JSON.stringify(nodes.slice(0, 10).map(summarizeNode))
  throw new StepFailure('NODE_AMBIGUOUS', `${nodes.length} nodes can be checked.`, {
    data: { candidates, candidate_count: String(nodes.length) },
  })
}

interface ExpectedState {
  readonly tracked: TrackedNode
  readonly checked: boolean
}

/** Reads until the control has the expected state. Controls that contact a server may be slow. */
async function waitUntilChecked(execution: EngineExecution, expected: ExpectedState, notes: StepNotes): Promise<void> {
  const loading = new LoadingWait(execution)
  for (let readings = 1; ; readings += 1) {
    const reading = await readScreen(execution)
    notes.after = reading
    const state = readState(reading, expected.tracked)
    if (state === expected.checked) return
    // Another window may be the question whether to do it: it is not cancelled.
    if (state === undefined && (await dismissListed(execution, reading))) continue
    if (loading.shouldWait(reading)) {
      await loading.pause()
    } else {
      if (readings >= MAX_READINGS) throw toConvergenceFailure(expected, state, reading)
      execution.lastError = 'CONTROL_CONVERGENCE_FAILED'
      await execution.sleep(POLL_MS)
    }
  }
}

const MAX_READINGS = 8
const POLL_MS = 300

function readState(reading: ScreenReading, tracked: TrackedNode): boolean | undefined {
  const node = findTrackedNode(reading, tracked)
  const control = node && findCheckable(reading.hierarchy, node)
  return control?.kind === 'found' ? isTrue(control.node, 'checked') : undefined
}

function toConvergenceFailure(
  { checked }: ExpectedState,
  state: boolean | undefined,
  reading: ScreenReading,
): StepFailure {
  const read = state === undefined ? 'missing' : String(state)
  const message =
    state === undefined
      ? 'The control was touched and is no longer on the screen.'
      : `The control was touched and is still ${state ? 'on' : 'off'}.`
  return new StepFailure('CONTROL_CONVERGENCE_FAILED', message, {
    data: { read, target: String(checked), adjustments: '1' },
    ...(state === undefined && { seen: reading }),
  })
}
