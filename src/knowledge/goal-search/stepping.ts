import { resolveTarget } from '../../screen/matcher.ts'
import { labelOf } from '../../screen/roles.ts'
import { isNear, shownNumber } from '../../screen/shown-number.ts'
import type { Screen } from '../interpret/read/screen.ts'
import type { PlannedAction } from './planned-edits.ts'
import type { PlannedEdit } from './goal-status.ts'

export type Stepping = Extract<PlannedEdit, { kind: 'step' }>

/** The next touch that brings the number nearer; `there` when it is reached, `lost` when it cannot be. */
export function nextStep(
  { value, increase, decrease, target }: Stepping,
  screen: Screen,
  before: number | undefined,
): { readonly read: number; readonly touch: PlannedAction } | 'there' | 'lost' {
  const found = resolveTarget(screen.tree, { matcher: value, strict: true })
  const read = found.kind === 'found' ? shownNumber(labelOf(found.node)) : undefined
  if (read === undefined) return 'lost'
  if (isNear(read, target)) return 'there'
  const moved = before === undefined || read !== before
  const passed = before !== undefined && read > target !== before > target
  if (!moved || passed) return 'lost'
  const matcher = read < target ? increase : decrease
  return { read, touch: { type: 'click', params: { matcher, strict: true } } }
}
