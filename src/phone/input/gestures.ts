import { openShade, type Device } from '../model/device.ts'
import { keyAt, keyboardTop, type KeyCap } from '../model/keyboard.ts'
import { pressKey } from './key-press.ts'
import { deleteText, focusField, insertText, selectAll } from './text-entry.ts'
import { contains, isVisible, type Direction, type View } from '../model/view.ts'
import { NAVIGATION_BAR_HEIGHT, STATUS_BAR_HEIGHT, type Window } from '../windows/frame.ts'
import { activeWindow } from '../windows/window.ts'

export interface Gesture {
  readonly x1: number
  readonly y1: number
  readonly x2: number
  readonly y2: number
  readonly durationMs: number
  /** The finger rested for a long press before it moved. */
  readonly held?: boolean
}

const TOUCH_SLOP = 24
export const LONG_PRESS_MS = 500
const UNLOCK_DISTANCE = 400

/** Applies the gesture of one finger: tap, long press or drag. */
export function applyGesture(device: Device, gesture: Gesture): void {
  device.touches += 1
  device.lastTouch = { x: gesture.x1, y: gesture.y1 }
  const window = activeWindow(device)
  if (window === undefined) return
  const moved = Math.hypot(gesture.x2 - gesture.x1, gesture.y2 - gesture.y1)
  if (window.kind === 'keyguard') {
    if (gesture.y1 - gesture.y2 >= UNLOCK_DISTANCE) device.power.locked = false
  } else if (moved >= TOUCH_SLOP) {
    drag(device, window, gesture)
  } else if (gesture.durationMs >= LONG_PRESS_MS) {
    longPress(device, window, gesture)
  } else {
    tap(device, window, gesture)
  }
}

function tap(device: Device, window: Window, { x1, y1 }: Gesture): void {
  if (y1 >= device.screen.height - NAVIGATION_BAR_HEIGHT) {
    tapNavigationBar(device, x1)
    return
  }
  const top = keyboardTop(device)
  if (top !== undefined && y1 >= top) {
    const key = keyAt(device, x1, y1)
    startRipple(device, window, { x: x1, y: y1, key: 'keyboard' })
    if (key !== undefined) tapKey(device, key.cap)
    return
  }
  if (!contains(window.root.bounds, x1, y1)) {
    window.cancel?.()
    return
  }
  const view = findTopmost(window.root, x1, y1, acceptsTouch)
  if (view === undefined || !view.enabled) return
  startRipple(device, window, { x: x1, y: y1, key: view.key })
  if (view.slider !== undefined) view.slider.moveTo(toShare(window, view, x1))
  if (view.field !== undefined) focusField(device, window.id, view)
  view.onTap?.()
}

function startRipple(device: Device, { id }: Window, touch: { x: number; y: number; key: string }): void {
  device.ripple = { ...touch, windowId: id, atMs: device.clock.now() }
}

function longPress(device: Device, window: Window, gesture: Gesture): void {
  const { x1, y1 } = gesture
  const top = keyboardTop(device) ?? device.screen.height - NAVIGATION_BAR_HEIGHT
  const view = y1 < top ? findTopmost(window.root, x1, y1, acceptsTouch) : undefined
  if (view === undefined) {
    tap(device, window, gesture)
    return
  }
  if (!view.enabled) return
  if (view.field !== undefined) {
    focusField(device, window.id, view)
    selectAll(device)
  } else if (view.onLongPress === undefined) {
    tap(device, window, gesture)
    return
  }
  view.onLongPress?.()
}

const SHADE_DISTANCE = 300

function drag(device: Device, window: Window, gesture: Gesture): void {
  const { x1, y1, x2, y2 } = gesture
  if (y1 < STATUS_BAR_HEIGHT && y2 - y1 >= SHADE_DISTANCE) {
    openShade(device)
    return
  }
  const [dx, dy] = [x2 - x1, y2 - y1]
  const slider = findTopmost(window.root, x1, y1, (view) => view.slider !== undefined && view.enabled)
  if (slider?.slider !== undefined && Math.abs(dx) >= Math.abs(dy)) {
    slider.slider.moveTo(toShare(window, slider, x2))
    return
  }
  if (dragToTarget(window, gesture)) return
  const axis = Math.abs(dy) >= Math.abs(dx) ? 'vertical' : 'horizontal'
  const by = axis === 'vertical' ? -dy : window.mirrored === true ? dx : -dx
  const direction: Direction = axis === 'vertical' ? (dy < 0 ? 'up' : 'down') : dx < 0 ? 'left' : 'right'
  const view = findTopmost(
    window.root,
    x1,
    y1,
    (candidate) => canScroll(candidate, axis, by) || candidate.onSwipe?.[direction] !== undefined,
  )
  if (view === undefined) return
  if (canScroll(view, axis, by)) view.scroll?.move(by)
  else if (view.enabled) view.onSwipe?.[direction]?.(Math.abs(axis === 'vertical' ? dy : dx))
}

/** Drags a view to the target under the end of the gesture. Returns false if no view was dragged. */
function dragToTarget({ root }: Window, { x1, y1, x2, y2, held }: Gesture): boolean {
  const source = findTopmost(root, x1, y1, ({ drag: own }) => own !== undefined && (!own.hold || held === true))
  if (source?.drag === undefined) return false
  const target = findTopmost(root, x2, y2, (view) => view.onDrop !== undefined)
  target?.onDrop?.(source.drag.value)
  return true
}

/** False at the end of the range, so that the enclosing box scrolls instead. */
function canScroll(view: View, axis: 'vertical' | 'horizontal', by: number): boolean {
  if (view.scroll === undefined || view.scroll.axis !== axis) return false
  return by > 0 ? view.scroll.offset < view.scroll.limit : view.scroll.offset > 0
}

function acceptsTouch(view: View): boolean {
  return view.clickable || view.longClickable || view.slider !== undefined
}

/** Finds the topmost accepted view at a point, or one that blocks. Later siblings lie above earlier ones. */
function findTopmost(view: View, x: number, y: number, accepts: (view: View) => boolean): View | undefined {
  if (!isVisible(view.visibleBounds) || !contains(view.visibleBounds, x, y)) return undefined
  for (const child of view.children.toReversed()) {
    const found = findTopmost(child, x, y, accepts)
    if (found !== undefined) return found
  }
  return accepts(view) || view.blocks === true ? view : undefined
}

/** Distance in pixels between the ends of a slider's track and the ends of its view. */
export const SLIDER_INSET = 42

function toShare({ mirrored }: Window, view: View, x: number): number {
  const { left, right } = view.bounds
  const share = (x - left - SLIDER_INSET) / (right - left - 2 * SLIDER_INSET)
  return mirrored === true ? 1 - share : share
}

function tapNavigationBar(device: Device, x: number): void {
  const third = Math.floor((3 * x) / device.screen.width)
  pressKey(device, { key: ['BACK', 'HOME', 'APP_SWITCH'][third] ?? 'UNKNOWN' })
}

function tapKey(device: Device, cap: KeyCap): void {
  switch (cap.kind) {
    case 'char':
      insertText(device, cap.char)
      if (device.keyboard.page === 'capitals') device.keyboard.page = 'letters'
      return
    case 'page':
      device.keyboard.page = cap.page
      return
    case 'delete':
      deleteText(device, 'before')
      return
    case 'enter':
      pressKey(device, { key: 'ENTER' })
  }
}
