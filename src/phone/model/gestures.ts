import type { Device } from './device.ts'
import { keyAt, keyboardTop, type KeyCap } from './keyboard.ts'
import { pressKey } from './key-press.ts'
import { deleteText, focusField, insertText, selectAll } from './text-entry.ts'
import { contains, isVisible, type View } from './view.ts'
import { activeWindow, NAVIGATION_BAR_HEIGHT, type Window } from './window.ts'

export interface Gesture {
  readonly x1: number
  readonly y1: number
  readonly x2: number
  readonly y2: number
  readonly durationMs: number
}

const TOUCH_SLOP = 24
export const LONG_PRESS_MS = 500
const UNLOCK_DISTANCE = 400

/** Applies the gesture of one finger: tap, long press or drag. */
export function applyGesture(device: Device, gesture: Gesture): void {
  device.touches += 1
  const window = activeWindow(device)
  if (window === undefined) return
  const moved = Math.hypot(gesture.x2 - gesture.x1, gesture.y2 - gesture.y1)
  if (window.kind === 'keyguard') {
    if (gesture.y1 - gesture.y2 >= UNLOCK_DISTANCE) device.power.locked = false
  } else if (moved >= TOUCH_SLOP) {
    drag(window, gesture)
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
    if (key !== undefined) tapKey(device, key.cap)
    return
  }
  if (!contains(window.root.bounds, x1, y1)) {
    window.cancel?.()
    return
  }
  const view = findTopmost(window.root, x1, y1, acceptsTouch)
  if (view === undefined || !view.enabled) return
  if (view.slider !== undefined) view.slider.moveTo(toShare(view, x1))
  if (view.field !== undefined) focusField(device, window.id, view)
  view.onTap?.()
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

function drag(window: Window, gesture: Gesture): void {
  const { x1, y1, x2, y2 } = gesture
  const slider = findTopmost(window.root, x1, y1, (view) => view.slider !== undefined && view.enabled)
  if (slider !== undefined && Math.abs(x2 - x1) >= Math.abs(y2 - y1)) {
    slider.slider?.moveTo(toShare(slider, x2))
    return
  }
  const axis = Math.abs(y2 - y1) >= Math.abs(x2 - x1) ? 'vertical' : 'horizontal'
  const by = axis === 'vertical' ? y1 - y2 : x1 - x2
  const box = findTopmost(window.root, x1, y1, (view) => canScroll(view, axis, by))
  if (box?.scroll === undefined) return
  const offset = Math.min(box.scroll.limit, Math.max(0, box.scroll.offset + Math.round(by)))
  box.scroll.store(offset)
}

/** False at the end of the range, so that the enclosing box scrolls instead. */
function canScroll(view: View, axis: 'vertical' | 'horizontal', by: number): boolean {
  if (view.scroll === undefined || view.scroll.axis !== axis) return false
  return by > 0 ? view.scroll.offset < view.scroll.limit : view.scroll.offset > 0
}

function acceptsTouch(view: View): boolean {
  return view.clickable || view.longClickable || view.slider !== undefined
}

/** Finds the topmost accepted view at a point. Later siblings lie above earlier ones. */
function findTopmost(view: View, x: number, y: number, accepts: (view: View) => boolean): View | undefined {
  if (!isVisible(view.visibleBounds) || !contains(view.visibleBounds, x, y)) return undefined
  for (const child of view.children.toReversed()) {
    const found = findTopmost(child, x, y, accepts)
    if (found !== undefined) return found
  }
  return accepts(view) ? view : undefined
}

/** Distance in pixels between the ends of a slider's track and the ends of its view. */
export const SLIDER_INSET = 42

function toShare(view: View, x: number): number {
  const { left, right } = view.bounds
  return (x - left - SLIDER_INSET) / (right - left - 2 * SLIDER_INSET)
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
