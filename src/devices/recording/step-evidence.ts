import type { Action, Direction, Effect } from '@apprentice/contracts/devices/action.ts'
import type { Point } from '../../screen/bounds.ts'
import type { Hierarchy } from '../../screen/hierarchy.ts'
import { sliderUnder } from '../../screen/hit-test.ts'

/** A screen as it was read before or after a step. */
export interface ScreenEvidence {
  readonly hierarchy: Hierarchy
  /** When the reading began, as an ISO date; the step's own time when absent. */
  readonly captured_at?: string | undefined
  readonly activity?: string | null | undefined
  /** Where the owner keeps this reading. */
  readonly ref?: string | undefined
}

/** What was done, whoever did it and by whatever means. */
export type RecordedAction =
  | { readonly kind: 'tap' | 'long_press'; readonly point?: Point | undefined }
  | {
      readonly kind: 'scroll'
      readonly direction: Direction
      readonly point?: Point | undefined
      /** How far the finger went; the content goes with it. */
      readonly travel?: { readonly dx: number; readonly dy: number } | undefined
    }
  | { readonly kind: 'slide'; readonly point: Point }
  | { readonly kind: 'key'; readonly key: string }
  | { readonly kind: 'text'; readonly text: string; readonly submit?: boolean }
  | { readonly kind: 'open_app' | 'close_app'; readonly package: string }
  | { readonly kind: 'open_uri' }

/** One finished step. What is absent was not seen. */
export interface StepEvidence {
  readonly action: RecordedAction
  readonly at_ms: number
  readonly before?: ScreenEvidence | undefined
  readonly after?: ScreenEvidence | undefined
  /** The node the step was aimed at, by its path in the tree before; for text, the field. */
  readonly node?: { readonly path: string } | undefined
  readonly effect?: Effect | undefined
  /** What people call the app; a word of its package name when absent. */
  readonly app_label?: string | undefined
}

/**
 * What an action of an execution does to the phone; nothing when it only looks or waits. Scrolling on
 * the way to what is then tapped is part of finding it. The screen before tells what a swipe met.
 */
function recordedAction(action: Action, before?: Hierarchy): RecordedAction | undefined {
  switch (action.type) {
    case 'open_app':
    case 'close_app':
      return { kind: action.type, package: action.params.applicationId }
    case 'open_uri':
      return { kind: 'open_uri' }
    case 'click':
      return { ...tapOf(action.params.clickType), point: action.params.coordinate }
    case 'swipe': {
      const slider = before && sliderUnder(before, action.params.from)
      return swipeAction(action.params, slider !== undefined)
    }
    case 'scroll':
      return { kind: 'scroll', direction: action.params.direction }
    case 'scroll_until':
    case 'scroll_and_click': {
      const { direction, clickAfter, clickType } = action.params
      return clickAfter ? tapOf(clickType) : { kind: 'scroll', direction }
    }
    case 'enter_text':
      return { kind: 'text', text: action.params.text, submit: action.params.submit }
    case 'press_key':
      return { kind: 'key', key: action.params.key }
    case 'set_checked':
    case 'adjust_until':
      return { kind: 'tap' }
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

/** A finger that goes along a slider moves it; every other way it pushes the content. */
export function swipeAction(
  { from, to }: { readonly from: Point; readonly to: Point },
  onSlider: boolean,
): Extract<RecordedAction, { kind: 'slide' | 'scroll' }> {
  const travel = { dx: to.x - from.x, dy: to.y - from.y }
  if (onSlider && Math.abs(travel.dx) > Math.abs(travel.dy)) return { kind: 'slide', point: from }
  return { kind: 'scroll', direction: directionOf(travel), point: from, travel }
}

/** The evidence of a finished execution step, as whoever ran it saw it. */
export function executedStep(
  action: Action,
  seen: Omit<StepEvidence, 'action'> & { readonly point?: Point | undefined },
): StepEvidence | undefined {
  const done = recordedAction(action, seen.before?.hierarchy)
  if (done === undefined) return undefined
  const { point, ...rest } = seen
  // A control that is as wanted is left alone, and nothing was done.
  if (TOUCHES_AT_NEED.has(action.type) && point === undefined) return undefined
  const isTap = done.kind === 'tap' || done.kind === 'long_press'
  return { ...rest, action: isTap ? { ...done, point: done.point ?? point } : done }
}

const TOUCHES_AT_NEED: ReadonlySet<string> = new Set(['set_checked', 'adjust_until'])

/** Fingers push the content: up is further down. */
function directionOf({ dx, dy }: { dx: number; dy: number }): Direction {
  if (Math.abs(dy) >= Math.abs(dx)) return dy <= 0 ? 'down' : 'up'
  return dx <= 0 ? 'right' : 'left'
}

/** Setting the focus is done by a tap. */
function tapOf(clickType: 'click' | 'long_click' | 'focus'): { kind: 'tap' | 'long_press' } {
  return { kind: clickType === 'long_click' ? 'long_press' : 'tap' }
}
