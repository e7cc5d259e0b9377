import { ACTING_TYPES, type Action } from '@apprentice/contracts/devices/action.ts'
import { readCaption } from '../../../screen/control-actions.ts'
import { resolveTarget } from '../../../screen/matcher.ts'
import { readActions } from '../../../screen/words/actions/action-meaning.ts'
import { hasMeaning } from '../../../screen/words/words.ts'
import type { EngineExecution } from '../engine-execution.ts'
import { showsMore } from '../screen-change.ts'
import type { ScreenReading } from '../screen-reading.ts'
import { createNotes } from '../step-evidence.ts'
import { findReceiver } from '../tap-point.ts'
import { runAction } from './run-action.ts'

const PRESSES: ReadonlySet<Action['type']> = new Set(['click', 'scroll_and_click'])

/**
 * Whether a window took the press of the previous step: the page shows exactly what it showed before the press, and the
 * window was dismissed since. A window that opens between the look and the touch may also be closed by that touch. Then
 * nothing but the missing target of the next touch tells it, so only a press that commits nothing counts.
 */
export function wasSwallowed(execution: EngineExecution, seen: ScreenReading, previous: Action): boolean {
  const { dismissed, history, action } = execution
  const before = history.earlier.at(-1)
  if (!PRESSES.has(previous.type) || before === undefined) return false
  const wasLeft = dismissed.some(({ by }) => !by.startsWith('keyboard'))
  if (!wasLeft && !(ACTING_TYPES.has(action.type) && mayBeRepeated(before, previous))) return false
  const readings = wasLeft ? [seen] : [seen, ...history.sinceLast]
  return readings.every((one) => isSame(one, before))
}

const isSame = ({ hierarchy: one }: ScreenReading, { hierarchy: other }: ScreenReading): boolean =>
  !showsMore(one, other) && !showsMore(other, one)

/** Whether a press was made on a control that does not say that it does something: a row, a tab, a heading. */
function mayBeRepeated({ hierarchy }: ScreenReading, { params }: Action): boolean {
  const matcher = 'matcher' in params ? params.matcher : undefined
  if (matcher === undefined) return false
  const pressed = resolveTarget(hierarchy, { matcher, strict: true })
  if (pressed.kind !== 'found' || findReceiver(pressed.node, 'click') === undefined) return false
  const caption = readCaption(pressed.node)
  return readActions(caption).length === 0 && !hasMeaning(caption, 'agree')
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
