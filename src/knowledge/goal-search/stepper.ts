import { resolveTarget } from '../../screen/matcher.ts'
import { readLabel } from '../../screen/roles.ts'
import { isNear, parseDisplayedNumber } from '../../screen/displayed-number.ts'
import type { Screen } from '../interpret/read/screen.ts'
import type { PlannedAction } from './planned-actions.ts'
import type { PlannedEdit } from './goal-status.ts'

export type StepEdit = Extract<PlannedEdit, { kind: 'step' }>

/** The next tap towards the target value. `unreachable` when the value cannot be read, did not change, or was passed. */
export function planNextTouch(
  { value, increase, decrease, target }: StepEdit,
  screen: Screen,
  before: number | undefined,
): { readonly current: number; readonly touch: PlannedAction } | 'reached' | 'unreachable' {
  const found = resolveTarget(screen.tree, { matcher: value, strict: true })
  const current = found.kind === 'found' ? parseDisplayedNumber(readLabel(found.node)) : undefined
  if (current === undefined) return 'unreachable'
  if (isNear(current, target)) return 'reached'
  const moved = before === undefined || current !== before
  const passed = before !== undefined && current > target !== before > target
  if (!moved || passed) return 'unreachable'
  const matcher = current < target ? increase : decrease
  return { current, touch: { type: 'click', params: { matcher, strict: true } } }
}
