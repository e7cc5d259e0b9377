import { isFloatingWindow } from '../../../screen/page-layout.ts'
import type { EngineExecution } from '../engine-execution.ts'
import { findReachedEnd } from '../reached-end.ts'
import { readScreen } from '../read-screen.ts'
import type { ScreenReading } from '../screen-reading.ts'
import { sendGesture } from '../touch.ts'

/** Leaves the menu or dialog that lacks the target, because the page below it may show that the outcome is there. */
export async function findReachedEndBelow(
  execution: EngineExecution,
  seen: ScreenReading,
): Promise<string | undefined> {
  const [window] = seen.hierarchy.roots
  if (execution.action.doneIfMissing !== true || window === undefined || !isFloatingWindow(window)) return undefined
  await execution.history.ignoring(() => sendGesture(execution, (driver, limits) => driver.keyevent('back', limits)))
  await execution.sleep(CLOSE_DELAY_MS)
  return findReachedEnd(execution, await readScreen(execution))
}

const CLOSE_DELAY_MS = 300
