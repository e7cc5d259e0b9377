import type { Action } from '@apprentice/contracts/devices/action.ts'
import type { EngineExecution } from '../engine-execution.ts'
import { showsMore } from '../screen-change.ts'
import type { ScreenReading } from '../screen-reading.ts'
import { createNotes } from '../step-evidence.ts'
import { runAction } from './run-action.ts'

const PRESSES: ReadonlySet<Action['type']> = new Set(['click', 'scroll_and_click'])

/**
 * Whether the press of the previous step was lost: the page shows exactly what it showed before the press. A window took
 * it if one was dismissed since. Without one, only a press that does no more than open something counts as lost: what any
 * other press does may not be displayed yet.
 */
export function wasLost(execution: EngineExecution, seen: ScreenReading, previous: Action): boolean {
  const { dismissed, history } = execution
  const before = history.earlier.at(-1)
  if (!PRESSES.has(previous.type) || before === undefined) return false
  if (previous.repeatable !== true && !dismissed.some(({ by }) => !by.startsWith('keyboard'))) return false
  if (showsMore(seen.hierarchy, before.hierarchy)) return false
  // What is gone may be the window that took the press. A press that does more may have removed something.
  return previous.repeatable === true || !showsMore(before.hierarchy, seen.hierarchy)
}

/** Runs the previous step again, as part of the current one. */
export async function repeatPress(execution: EngineExecution, previous: Action, action: Action): Promise<void> {
  const { dismissed, following } = execution
  execution.startStep(previous, [action, ...following])
  await runAction(execution, previous, {
    notes: createNotes(previous),
    previous: undefined,
    following: [action, ...following],
    before: undefined,
  })
  execution.startStep(action, following)
  execution.dismissed = dismissed
}
