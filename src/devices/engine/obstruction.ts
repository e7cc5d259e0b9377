import { readDialogText } from '../../screen/dialog.ts'
import { attribute } from '../../screen/tree/hierarchy.ts'
import { type Obstruction, findObstruction } from '../../screen/obstruction/obstruction.ts'
import { assertAdmitted } from './admission.ts'
import type { EngineExecution } from './engine-execution.ts'
import { isLoading } from './loading-wait.ts'
import type { LeavingWay } from './obstruction-log.ts'
import type { ScreenReading } from './screen-reading.ts'
import { createNotes, readDisplayedLabel } from './step-evidence.ts'
import { type StepData, StepFailure } from './step-failure.ts'
import { sendGesture, touchNode, touchPoint } from './touch.ts'
import { findsTargetIn } from './workflow-targets.ts'

/** Dismisses what covers the app. Returns true if the screen must be read again. */
export async function dismissObstruction(execution: EngineExecution, reading: ScreenReading): Promise<boolean> {
  return (await dismissListed(execution, reading)) || (await leaveUnknown(execution, reading))
}

/** Touches a control that the execution lists for dismissals. */
export async function dismissListed(execution: EngineExecution, reading: ScreenReading): Promise<boolean> {
  const node = execution.dismissals.take(reading)
  if (node === undefined) return false
  try {
    // The evidence of the step must not contain this touch.
    const touch = () => touchNode(execution, { reading, node }, 'click', createNotes(execution.action))
    await execution.history.ignoring(touch)
  } catch (error) {
    if (error instanceof StepFailure && error.error === 'NODE_NOT_CLICKABLE') return true
    throw error
  }
  const label = readDisplayedLabel(node) || attribute(node, 'resource-id') || 'unnamed'
  execution.dismissed.push({ label, by: 'listed:control' })
  execution.history.addDismissed(readDialogText(reading.hierarchy) ?? '')
  await execution.sleep(CLOSE_DELAY_MS)
  return true
}

/**
 * Leaves a window, sheet, banner or keyboard that the workflow does not use, by a way that changes nothing. The first
 * sight only waits: it may be about to close by itself.
 */
async function leaveUnknown(execution: EngineExecution, reading: ScreenReading): Promise<boolean> {
  if (isLoading(reading)) return false
  const found = findObstruction(reading.hierarchy, execution.packages)
  if (found === undefined || belongsToWorkflow(execution, reading, found)) return false
  const { obstructions } = execution
  const sight = obstructions.note(found.signature)
  if (sight === 'too_many') return false
  if (sight === 'new') {
    await execution.sleep(found.kind === 'keyboard' ? KEYBOARD_PATIENCE_MS : PATIENCE_MS)
    return true
  }
  dropFailedAttempt(execution, found.signature)
  for (;;) {
    const way = obstructions.takeWay(found.signature, listWays(found))
    if (way === undefined) return false
    if (!(await tryWay(execution, { reading, found }, way))) continue
    execution.dismissed.push({ label: describe(found, way), by: `${found.kind}:${way}`, signature: found.signature })
    execution.history.addDismissed(found.text)
    await execution.sleep(CLOSE_DELAY_MS)
    return true
  }
}

/** Back or a touch outside that did not close the window is not a dismissal. */
function dropFailedAttempt({ dismissed }: EngineExecution, signature: string): void {
  const last = dismissed.at(-1)
  if (last?.signature === signature && !last.by.endsWith(':control')) dismissed.pop()
}

function belongsToWorkflow(execution: EngineExecution, { hierarchy }: ScreenReading, { root }: Obstruction): boolean {
  return root !== undefined && findsTargetIn(hierarchy, root, execution)
}

/** A scrim is touched before Back is pressed: if the app does not expect Back, it would leave the screen. */
function listWays({ control, closesOnBack, outside, scrim }: Obstruction): LeavingWay[] {
  const ways = [
    ...(control === undefined ? [] : (['control'] as const)),
    ...(closesOnBack ? (['back'] as const) : []),
    ...(outside === undefined ? [] : (['outside'] as const)),
  ]
  return scrim === undefined ? ways : ways.toSorted((one, other) => SCRIM_ORDER[one] - SCRIM_ORDER[other])
}

const SCRIM_ORDER: Readonly<Record<LeavingWay, number>> = { control: 0, outside: 1, back: 2 }

/** Returns false if the way could not be used: then nothing was touched. */
async function tryWay(
  execution: EngineExecution,
  { reading, found }: { readonly reading: ScreenReading; readonly found: Obstruction },
  way: LeavingWay,
): Promise<boolean> {
  const { control, outside } = found
  const leave = async (): Promise<void> => {
    if (way === 'control' && control !== undefined) {
      await touchNode(execution, { reading, node: control }, 'click', createNotes(execution.action))
      return
    }
    await assertAdmitted(execution)
    if (way === 'outside' && outside !== undefined) await touchPoint(execution, outside, 'click')
    else await sendGesture(execution, (driver, limits) => driver.keyevent('back', limits))
  }
  try {
    await execution.history.ignoring(leave)
    return true
  } catch (error) {
    if (error instanceof StepFailure) return false
    throw error
  }
}

function describe({ control, text, kind }: Obstruction, way: LeavingWay): string {
  const label = way === 'control' && control !== undefined ? readDisplayedLabel(control) : ''
  return (label || text || kind).slice(0, MAX_LABEL)
}

const CLOSE_DELAY_MS = 200
const PATIENCE_MS = 400
/** An app may keep the keyboard while it submits what was typed. */
const KEYBOARD_PATIENCE_MS = 800
const MAX_LABEL = 80

/** The text of the dialog that covers the target of a failed step. */
export function describeObstruction({ seen }: StepFailure): StepData {
  const text = seen && readDialogText(seen.hierarchy)
  return text === undefined ? {} : { in_the_way: text }
}
