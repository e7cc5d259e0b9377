import type { Action, Direction, Effect } from '@apprentice/contracts/devices/action.ts'
import type { Point } from '../../screen/tree/bounds.ts'
import { attribute, type Hierarchy } from '../../screen/tree/hierarchy.ts'
import { findSliderAt } from '../../screen/hit-test.ts'

/** A screen that was read before or after a step. */
export interface CapturedScreen {
  readonly hierarchy: Hierarchy
  /** Start of the reading, as an ISO date. The time of the step if absent. */
  readonly captured_at?: string | undefined
  readonly activity?: string | null | undefined
  /** Reference of the stored screen. */
  readonly ref?: string | undefined
}

/** What was done on the device, by a person or by an execution. */
export type CapturedAction =
  | { readonly kind: 'tap' | 'long_press'; readonly point?: Point | undefined }
  | {
      readonly kind: 'scroll'
      readonly direction: Direction
      readonly point?: Point | undefined
      /** How far the finger moved. The content moves with it. */
      readonly travel?: { readonly dx: number; readonly dy: number } | undefined
    }
  | { readonly kind: 'slide'; readonly point: Point }
  | { readonly kind: 'key'; readonly key: string }
  | { readonly kind: 'text'; readonly text: string; readonly submit?: boolean }
  | { readonly kind: 'open_app' | 'close_app'; readonly package: string }
  | { readonly kind: 'open_uri' }

/** The input of a recorder: one finished action with its screens. An absent field was not observed. */
export interface CapturedStep {
  readonly action: CapturedAction
  readonly at_ms: number
  readonly before?: CapturedScreen | undefined
  readonly after?: CapturedScreen | undefined
  /** The target by its path in the tree before; for text, the field. */
  readonly node?: { readonly path: string } | undefined
  readonly effect?: Effect | undefined
  /** The name of the app. If absent, a word of its package name is used. */
  readonly app_label?: string | undefined
}

/** What was seen of an action, with the point that was touched and the point where a swipe ended. */
type Seen = Omit<CapturedStep, 'action'> & { readonly point?: Point | undefined; readonly end?: Point | undefined }

/**
 * What an action of an execution does to the phone. Undefined if it only reads, waits or turns the screen. Scrolling before
 * a tap belongs to the tap. The screen before decides what a swipe moves.
 */
function toCapturedAction(action: Action, seen: Seen): CapturedAction | undefined {
  const before = seen.before?.hierarchy
  switch (action.type) {
    case 'open_app':
    case 'close_app':
      return { kind: action.type, package: action.params.applicationId }
    case 'open_uri':
      return { kind: 'open_uri' }
    case 'click':
      return { ...toTapKind(action.params.clickType), point: action.params.coordinate }
    case 'swipe': {
      const { from = seen.point, to = seen.end } = action.params
      if (from === undefined || to === undefined) return undefined
      const slider = before && findSliderAt(before, from)
      return toSwipeAction({ from, to }, slider !== undefined)
    }
    case 'scroll':
      return { kind: 'scroll', direction: toScrollDirection(action.params.direction) }
    case 'scroll_until':
    case 'scroll_and_click': {
      const { direction, clickAfter, clickType } = action.params
      return clickAfter ? toTapKind(clickType) : { kind: 'scroll', direction: toScrollDirection(direction) }
    }
    case 'enter_text':
      return { kind: 'text', text: action.params.text, submit: action.params.submit }
    case 'press_key':
      return { kind: 'key', key: action.params.key }
    case 'press_edit_key': {
      if (action.params.key === 'enter') return { kind: 'key', key: 'enter' }
      const text = readTextAfterDeletion(seen)
      return text === undefined ? undefined : { kind: 'text', text }
    }
    case 'set_checked':
    case 'adjust_until':
    case 'pick_date':
      return { kind: 'tap' }
    case 'set_orientation':
    case 'wait_for_node':
    case 'wait_for_navigation':
    case 'read_text':
    case 'read_key_value_pair':
    case 'snapshot_ui':
    case 'take_screenshot':
    case 'sleep':
    case 'start_recording':
    case 'stop_recording':
    case 'expect':
      return undefined
  }
}

/** What the field contains after characters were deleted from it. Empty for a password, undefined if that is not known. */
export function readTextAfterDeletion({ node, before, after }: Pick<Seen, 'node' | 'before' | 'after'>) {
  const find = (tree: Hierarchy | undefined) => tree?.nodes.find(({ path }) => path === node?.path)
  const [field, now] = [find(before?.hierarchy), find(after?.hierarchy)]
  if (field === undefined || now === undefined) return undefined
  if (attribute(field, 'resource-id') !== attribute(now, 'resource-id')) return undefined
  const text = attribute(now, 'text')
  return attribute(now, 'password') === 'true' || text === attribute(now, 'hint') ? '' : text
}

/** A horizontal swipe on a slider moves the slider. Every other swipe scrolls. */
export function toSwipeAction(
  { from, to }: { readonly from: Point; readonly to: Point },
  onSlider: boolean,
): Extract<CapturedAction, { kind: 'slide' | 'scroll' }> {
  const travel = { dx: to.x - from.x, dy: to.y - from.y }
  if (onSlider && Math.abs(travel.dx) > Math.abs(travel.dy)) return { kind: 'slide', point: from }
  return { kind: 'scroll', direction: toDirection(travel), point: from, travel }
}

/** Makes a captured step of a finished action of an execution. Undefined if the action did nothing. */
export function toCapturedStep(action: Action, seen: Seen): CapturedStep | undefined {
  const captured = toCapturedAction(action, seen)
  if (captured === undefined) return undefined
  const { point, end: _, ...rest } = seen
  // A control that already has the requested value is not touched.
  if (CONDITIONAL_ACTIONS.has(action.type) && point === undefined) return undefined
  const isTap = captured.kind === 'tap' || captured.kind === 'long_press'
  return { ...rest, action: isTap ? { ...captured, point: captured.point ?? point } : captured }
}

const CONDITIONAL_ACTIONS: ReadonlySet<string> = new Set(['set_checked', 'adjust_until', 'pick_date'])

/** A finger that moves up scrolls down. */
function toDirection({ dx, dy }: { dx: number; dy: number }): Direction {
  if (Math.abs(dy) >= Math.abs(dx)) return dy <= 0 ? 'down' : 'up'
  return dx <= 0 ? 'right' : 'left'
}

const toScrollDirection = (direction: Direction | 'across'): Direction => (direction === 'across' ? 'right' : direction)

/** A focus action taps its target. */
function toTapKind(clickType: 'click' | 'long_click' | 'focus'): { kind: 'tap' | 'long_press' } {
  return { kind: clickType === 'long_click' ? 'long_press' : 'tap' }
}
