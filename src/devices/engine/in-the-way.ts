import { dialogWords } from '../../screen/dialog.ts'
import { attribute } from '../../screen/hierarchy.ts'
import type { EngineRun } from './engine-run.ts'
import type { ScreenReading } from './screen-reading.ts'
import { openNotes, shownLabel } from './step-evidence.ts'
import { type StepData, StepFailure } from './step-failure.ts'
import { touchNode } from './touching.ts'

/** Touches what is known to stand in the way. True: look again. */
export async function clearTheWay(run: EngineRun, reading: ScreenReading): Promise<boolean> {
  const node = run.dismissals.take(reading)
  if (node === undefined) return false
  try {
    // Not what the step itself touches, so it leaves no trace in its evidence.
    await touchNode(run, { reading, node }, 'click', openNotes(run.action))
  } catch (error) {
    if (error instanceof StepFailure && error.error === 'NODE_NOT_CLICKABLE') return true
    throw error
  }
  run.dismissed.push(shownLabel(node) || attribute(node, 'resource-id') || 'unnamed')
  await run.sleep(CLOSING_MS)
  return true
}

const CLOSING_MS = 200

/** What a failed step says about the dialog that hid what it looked for. */
export function inTheWay({ seen }: StepFailure): StepData {
  const words = seen && dialogWords(seen.hierarchy)
  return words === undefined ? {} : { in_the_way: words }
}
