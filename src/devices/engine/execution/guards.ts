import type { Action } from '@apprentice/contracts/devices/action.ts'
import type { NodeMatcher } from '@apprentice/contracts/devices/matcher.ts'
import { resolveTarget } from '../../../screen/matcher.ts'
import type { EngineExecution } from '../engine-execution.ts'
import { dismissObstruction } from '../obstruction.ts'
import { LoadingWait } from '../loading-wait.ts'
import type { ScreenReading } from '../screen-reading.ts'
import { readScreen } from '../read-screen.ts'

export type Guard = 'when' | 'unless'

/**
 * Finds the guard that skips an action, if any. A node does not count as missing while the screen is
 * loading or covered by a known obstruction; the screen is read again first.
 */
export async function findSkippingGuard(
  execution: EngineExecution,
  { when, unless }: Action,
): Promise<Guard | undefined> {
  if (when === undefined && unless === undefined) return undefined
  const loading = new LoadingWait(execution)
  for (;;) {
    const reading = await readScreen(execution)
    if (unless !== undefined && isOnScreen(reading, unless)) return 'unless'
    const isAllowed = when === undefined || isOnScreen(reading, when)
    if (!isAllowed || unless !== undefined) {
      if (await dismissObstruction(execution, reading)) continue
      if (loading.shouldWait(reading)) {
        await loading.pause()
        continue
      }
    }
    if (!isAllowed) return 'when'
    if (unless !== undefined && !(await isSettled(execution, reading))) continue
    execution.setReusableReading(reading)
    return undefined
  }
}

/** Whether the screen is the same as shortly before: a state may be shown only after the screen was opened. */
async function isSettled(execution: EngineExecution, reading: ScreenReading): Promise<boolean> {
  const earlier = execution.history.sinceLast.filter((one) => one !== reading)
  const readings = earlier.length + 1
  const isSame = earlier.at(-1)?.snapshot.content_hash === reading.snapshot.content_hash
  if (isSame || readings >= MAX_SETTLE_READINGS) return true
  await execution.sleep(SETTLE_MS)
  return false
}

const SETTLE_MS = 300
const MAX_SETTLE_READINGS = 5

/** Any of several matching nodes is enough. */
function isOnScreen({ hierarchy }: ScreenReading, matcher: NodeMatcher): boolean {
  return resolveTarget(hierarchy, { matcher: { ...matcher, strict: false } }).kind === 'found'
}
