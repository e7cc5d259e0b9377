import { isFloatingWindow } from '../../../screen/page-layout.ts'
import type { EngineExecution } from '../engine-execution.ts'
import { findReachedEnd, findReversedEnd } from '../reached-end.ts'
import { readScreen } from '../read-screen.ts'
import type { ScreenReading } from '../screen-reading.ts'
import { sendGesture } from '../touch.ts'

/**
 * The first claim about the end if the outcome is there already, with the page that shows it on the screen. The run may
 * have passed that page: then it goes back to it.
 */
export async function returnToReachedEnd(execution: EngineExecution, seen: ScreenReading): Promise<string | undefined> {
  const reached = findReachedEnd(execution, seen)
  if (reached === undefined) {
    const reversed = findReversedEnd(execution, seen)
    if (reversed !== undefined) execution.wasThereBefore = true
    return reversed
  }
  if (reached.isShown) return reached.claim
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const now = await goBack(execution)
    if (findReachedEnd(execution, now)?.isShown === true) break
  }
  return reached.claim
}

/** Leaves the menu or dialog that lacks the target, because the page below it may show that the outcome is there. */
export async function findReachedEndBelow(
  execution: EngineExecution,
  seen: ScreenReading,
): Promise<string | undefined> {
  const [window] = seen.hierarchy.roots
  if (execution.action.doneIfMissing !== true || window === undefined || !isFloatingWindow(window)) return undefined
  return findReachedEnd(execution, await goBack(execution))?.claim
}

async function goBack(execution: EngineExecution): Promise<ScreenReading> {
  await execution.history.ignoring(() => sendGesture(execution, (driver, limits) => driver.keyevent('back', limits)))
  await execution.sleep(CLOSE_DELAY_MS)
  return readScreen(execution)
}

const CLOSE_DELAY_MS = 300
const MAX_PAGES = 2
