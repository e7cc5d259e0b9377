import type { Action } from '@apprentice/contracts/devices/action.ts'
import type { NodeMatcher } from '@apprentice/contracts/devices/matcher.ts'
import { resolveTarget } from '../../../screen/matcher.ts'
import type { EngineRun } from '../engine-run.ts'
import { clearTheWay } from '../in-the-way.ts'
import { LoadingWait } from '../loading-wait.ts'
import type { ScreenReading } from '../screen-reading.ts'
import { readScreen } from '../screen-reads.ts'

export type Guard = 'when' | 'unless'

/**
 * The guard that keeps an action from being done, if one does. Nothing is missing from a screen that is
 * still loading, nor from one that something known lies over; such a screen is looked at again.
 */
export async function guardedBy(
  run: EngineRun,
  { when, unless }: Action,
): Promise<Guard | undefined> {
  if (when === undefined && unless === undefined) return undefined
  const loading = new LoadingWait(run)
  for (;;) {
    const reading = await readScreen(run)
    if (unless !== undefined && shows(reading, unless)) return 'unless'
    const isWanted = when === undefined || shows(reading, when)
    if (!isWanted || unless !== undefined) {
      if (await clearTheWay(run, reading)) continue
      if (loading.isWorthIt(reading)) {
        await loading.pause()
        continue
      }
    }
    if (!isWanted) return 'when'
    run.offer(reading)
    return undefined
  }
}

/** Of several alike each will do. */
function shows({ hierarchy }: ScreenReading, matcher: NodeMatcher): boolean {
  return resolveTarget(hierarchy, { matcher: { ...matcher, strict: false } }).kind === 'found'
}
