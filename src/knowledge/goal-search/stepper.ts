import { resolveTarget } from '../../screen/matcher.ts'
import { readLabel } from '../../screen/tree/roles.ts'
import { isNear, parseDisplayedNumber } from '../../screen/displayed-number.ts'
import { showsValue } from '../../screen/shown-value/shown-value.ts'
import type { NodeMatcher } from '@apprentice/contracts/devices/matcher.ts'
import type { Screen } from '../interpret/read/screen.ts'
import type { PlannedAction } from './planned-actions.ts'
import type { StepEdit } from './planned-edit.ts'

/** What the control showed before the last tap, and in which direction that tap went. */
export interface StepState {
  readonly shown: string
  readonly up: boolean
}

export type NextTouch = { readonly state: StepState; readonly touch: PlannedAction } | 'reached' | 'unreachable'

/** The next tap towards the target. `unreachable` when the value cannot be read, did not change, or was passed. */
export function planNextTouch(edit: StepEdit, screen: Screen, before: StepState | undefined): NextTouch {
  const found = resolveTarget(screen.tree, { matcher: edit.value, strict: true })
  const shown = found.kind === 'found' ? readLabel(found.node) : undefined
  if (shown === undefined) return 'unreachable'
  const { target } = edit
  const direction = typeof target === 'number' ? chooseDirection(target, shown, before) : seek(target, shown, before)
  if (direction === 'reached' || direction === 'unreachable') return direction
  const matcher = direction === 'up' ? edit.increase : edit.decrease
  if (matcher === undefined) return 'unreachable'
  return { state: { shown, up: direction === 'up' }, touch: toTouch(matcher) }
}

const toTouch = (matcher: NodeMatcher): PlannedAction => ({ type: 'click', params: { matcher, strict: true } })

type Direction = 'up' | 'down' | 'reached' | 'unreachable'

function chooseDirection(target: number, shown: string, before: StepState | undefined): Direction {
  const current = parseDisplayedNumber(shown)
  if (current === undefined) return 'unreachable'
  if (isNear(current, target)) return 'reached'
  const last = before && parseDisplayedNumber(before.shown)
  const passed = last !== undefined && current > target !== last > target
  if (current === last || passed) return 'unreachable'
  return current < target ? 'up' : 'down'
}

/** Words have no order: upwards first, and downwards from the end. */
function seek(targets: readonly string[], shown: string, before: StepState | undefined): Direction {
  if (targets.some((target) => showsValue(shown, target))) return 'reached'
  if (before === undefined) return 'up'
  if (before.shown !== shown) return before.up ? 'up' : 'down'
  return before.up ? 'down' : 'unreachable'
}
