import { checkableFor } from '../../../screen/checkable.ts'
import { type UiNode, isTrue } from '../../../screen/hierarchy.ts'
import { summarizeNode } from '../../../screen/matcher.ts'
import type { ParamsOf } from './action-params.ts'
import type { EngineRun } from '../engine-run.ts'
import { type Known, findAgain } from './found-again.ts'
import { clearTheWay } from '../in-the-way.ts'
import { LoadingWait } from '../loading-wait.ts'
import { retrying } from '../retrying.ts'
import type { ScreenReading } from '../screen-reading.ts'
import { readScreen } from '../screen-reads.ts'
import { type StepNotes, describeNode, shownLabel } from '../step-evidence.ts'
import { type StepData, StepFailure } from '../step-failure.ts'
import { findNow } from '../target-lookup.ts'
import { touchNode } from '../touching.ts'

type SetChecked = ParamsOf<'set_checked'>

/** Brings a switch to a state: nothing is touched if it is in it, and nothing is touched twice. */
export async function setChecked(
  run: EngineRun,
  params: SetChecked,
  notes: StepNotes,
): Promise<StepData> {
  const { matcher, container, strict, checked } = params
  const target = { matcher, container, strict }
  const facts = { checked: String(checked) }
  const begun = await retrying(run, params.retry, async () => {
    const { reading, node } = await findNow(run, target, notes)
    const control = controlOn(reading, node)
    notes.node = describeNode(control)
    const known = { target, node, reading }
    if (isTrue(control, 'checked') === checked) return { known, control }
    return {
      known,
      control,
      point: await touchNode(run, { reading, node: control }, 'click', notes),
    }
  })
  const named = { ...facts, label: shownLabel(begun.control) }
  if (begun.point === undefined) return { ...named, already: 'true' }
  await untilSo(run, { known: begun.known, checked }, notes)
  return { ...named, coordinate: `${begun.point.x},${begun.point.y}` }
}

function controlOn({ hierarchy }: ScreenReading, node: UiNode): UiNode {
  const control = checkableFor(hierarchy, node)
  if (control.kind === 'found') return control.node
  if (control.kind === 'none') {
    const message = 'Neither what was found nor its row can be checked.'
    throw new StepFailure('NODE_NOT_CHECKABLE', message)
  }
  const { nodes } = control
  const candidates = JSON.stringify(nodes.slice(0, 10).map(summarizeNode))
  throw new StepFailure('NODE_AMBIGUOUS', `There are ${nodes.length} that can be checked.`, {
    data: { candidates, candidate_count: String(nodes.length) },
  })
}

interface Wanted {
  readonly known: Known
  readonly checked: boolean
}

/** Reads until the control is as wanted; one that asks the outside world first may take its time. */
async function untilSo(run: EngineRun, wanted: Wanted, notes: StepNotes): Promise<void> {
  const loading = new LoadingWait(run)
  for (let looks = 1; ; looks += 1) {
    const reading = await readScreen(run)
    notes.after = reading
    const state = stateOn(reading, wanted.known)
    if (state === wanted.checked) return
    if (state === undefined && (await clearTheWay(run, reading))) continue
    if (loading.isWorthIt(reading)) {
      await loading.pause()
    } else {
      if (looks >= MAX_LOOKS) throw notSo(wanted, state, reading)
      run.lastError = 'CONTROL_CONVERGENCE_FAILED'
      await run.sleep(POLL_MS)
    }
  }
}

const MAX_LOOKS = 8
const POLL_MS = 300

function stateOn(reading: ScreenReading, known: Known): boolean | undefined {
  const node = findAgain(reading, known)
  const control = node && checkableFor(reading.hierarchy, node)
  return control?.kind === 'found' ? isTrue(control.node, 'checked') : undefined
}

function notSo(
  { checked }: Wanted,
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
