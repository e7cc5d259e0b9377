import { readDialogText } from '../../screen/dialog.ts'
import { attribute } from '../../screen/hierarchy.ts'
import type { EngineExecution } from './engine-execution.ts'
import type { ScreenReading } from './screen-reading.ts'
import { createNotes, readDisplayedLabel } from './step-evidence.ts'
import { type StepData, StepFailure } from './step-failure.ts'
import { touchNode } from './touch.ts'

/** Dismisses a known obstruction on the screen. Returns true if the screen must be read again. */
export async function dismissObstruction(execution: EngineExecution, reading: ScreenReading): Promise<boolean> {
  const node = execution.dismissals.take(reading)
  if (node === undefined) return false
  try {
    // The evidence of the step must not contain this touch.
    await touchNode(execution, { reading, node }, 'click', createNotes(execution.action))
  } catch (error) {
    if (error instanceof StepFailure && error.error === 'NODE_NOT_CLICKABLE') return true
    throw error
  }
  execution.dismissed.push(readDisplayedLabel(node) || attribute(node, 'resource-id') || 'unnamed')
  await execution.sleep(CLOSE_DELAY_MS)
  return true
}

const CLOSE_DELAY_MS = 200

/** The text of the dialog that covers the target of a failed step. */
export function describeObstruction({ seen }: StepFailure): StepData {
  const text = seen && readDialogText(seen.hierarchy)
  return text === undefined ? {} : { in_the_way: text }
}
