import { isVisible, type Rect, type View } from '../../model/view.ts'
import type { Window } from '../../windows/frame.ts'
import { isDark, mixColors, toTone } from './colors.ts'
import { findCenter, paintControl, shrink } from './paint-control.ts'
import { isTextButton, paintText, type PaintContext } from './paint-text.ts'
import type { Corners, Shape } from './shape.ts'

const CARD_CORNER = 33
const PANEL_CORNER = 75
const MENU_CORNER = 15
const MIN_CARD_HEIGHT = 40

/** Paints a view without its children. */
export function paintView(view: View, context: PaintContext): Shape[] {
  const shapes = [
    ...paintBackground(view, context),
    ...paintRipple(view, context),
    ...paintMark(view),
    ...paintControl(view, context),
  ]
  const isButton = isRecordedButton(view)
  if (!isButton) return [...shapes, ...paintText(view, context)]
  const centered = { ...view, style: { ...view.style, textAlign: 'center' as const } }
  return [...shapes, ...paintRecordedButton(view), ...paintText(centered, context)]
}

function paintBackground(view: View, context: PaintContext): Shape[] {
  const { visibleBounds: clip, bounds: rect, style } = view
  const fill = style.background
  // A button and a field paint their background themselves.
  if (fill === undefined || style.shape === 'button' || style.shape === 'field') return []
  if (view.key === 'content' && hasWallpaper(context.window)) return paintWallpaper(context, fill)
  const corners = pickCorners(view, context)
  if (corners === 0) return [{ kind: 'box', rect: clip, fill }]
  const isAbove = view.key === 'dialog/root' || view.key === 'snackbar'
  return [{ kind: 'box', rect, corners, fill, ...(isAbove ? { elevation: 36 } : { clip }) }]
}

/** Whether the wallpaper is behind a window: the home screen and the lock screen. */
export function hasWallpaper({ app, kind, root }: Window): boolean {
  const hasToolbar = root.children[0]?.children[0]?.key === 'toolbar'
  return (app.document.kind === 'launcher' || kind === 'keyguard') && !hasToolbar
}

/** The wallpaper lies behind the bars too. */
function paintWallpaper({ device }: PaintContext, color: string): Shape[] {
  const { width, height } = device.screen
  const rect = { left: 0, top: 0, right: width, bottom: height }
  const [from, to] = isDark(color)
    ? [mixColors(color, '#3f6fb5', 0.5), mixColors(color, '#0d1014', 0.4)]
    : [mixColors(color, '#ffffff', 0.55), mixColors(color, '#5b7fd0', 0.4)]
  return [{ kind: 'gradient', rect, from, to }]
}

/** Boxes that do not reach both edges of the screen are cards. A panel at the bottom is a sheet. */
function pickCorners({ bounds, key }: View, { device }: PaintContext): Corners {
  const { width, height } = device.screen
  const isWide = bounds.left <= 0 && bounds.right >= width
  if (key === 'snackbar') return MENU_CORNER
  if (key === 'dialog/root') {
    if (!isWide) return bounds.right - bounds.left <= width * 0.6 ? MENU_CORNER : PANEL_CORNER
    return bounds.top > height * 0.1 ? [PANEL_CORNER, PANEL_CORNER, 0, 0] : 0
  }
  return isWide || bounds.bottom - bounds.top < MIN_CARD_HEIGHT ? 0 : CARD_CORNER
}

const RIPPLE_MS = 240
const RIPPLE_PHASES = 3

/** The spot that spreads from the last touch, for a moment. Its phases are few, so that equal pictures stay equal. */
function paintRipple(view: View, context: PaintContext): Shape[] {
  const { device, window } = context
  const { ripple } = device
  if (ripple?.key !== view.key || ripple.windowId !== window.id) return []
  const ageMs = device.clock.now() - ripple.atMs
  if (ageMs < 0 || ageMs >= RIPPLE_MS) return []
  const phase = Math.floor((ageMs * RIPPLE_PHASES) / RIPPLE_MS) + 1
  const { left, top, right, bottom } = view.bounds
  const reach = Math.hypot(right - left, bottom - top)
  const spot = { x: ripple.x, y: ripple.y, radius: Math.round((reach * phase) / RIPPLE_PHASES), color: '#0000001f' }
  const isRound = view.style.shape === 'image' || view.style.shape === 'button' || isTextButton(view)
  const corners = isRound ? Math.min(right - left, bottom - top) / 2 : pickCorners(view, context)
  return [{ kind: 'ripple', rect: view.visibleBounds, corners, spot }]
}

const TAB_LINE = 9

/** Marks the chosen tab and the current value of a number picker. */
function paintMark(view: View): Shape[] {
  const { bounds, visibleBounds: clip } = view
  if (view.resourceId === 'android:id/numberpicker_input') {
    const fill = mixColors(view.style.accent, '#ffffff', 0.3)
    const lines = [bounds.top, bounds.bottom - 5].map((top) => ({ ...bounds, top, bottom: top + 5 }))
    return lines.map((rect): Shape => ({ kind: 'box', rect, clip, fill }))
  }
  if (view.tab === undefined || !view.selected) return []
  const accent = view.children[0]?.style.accent ?? view.style.accent
  const icon = view.children.find((child) => child.style.shape === 'image')
  if (icon !== undefined) {
    const { x, y } = findCenter(icon.bounds)
    const pill: Rect = { left: x - 84, top: y - 42, right: x + 84, bottom: y + 42 }
    return [{ kind: 'box', rect: pill, corners: 42, clip, fill: toTone(accent) }]
  }
  const line = {
    left: bounds.left + 30,
    top: bounds.bottom - TAB_LINE,
    right: bounds.right - 30,
    bottom: bounds.bottom,
  }
  return [{ kind: 'box', rect: line, corners: [6, 6, 0, 0], clip, fill: accent }]
}

/** A recorded tree says nothing about the look of a button. */
function isRecordedButton({ fixedClass, className, clickable, text, children, style }: View): boolean {
  const isPlain = style.shape === 'plain' && style.background === undefined
  return fixedClass && isPlain && clickable && text !== '' && children.length === 0 && className.endsWith('.Button')
}

function paintRecordedButton({ bounds, visibleBounds: clip, style }: View): Shape[] {
  const rect = shrink(bounds, 6)
  return [{ kind: 'box', rect, corners: Math.min(60, (rect.bottom - rect.top) / 2), clip, fill: toTone(style.accent) }]
}

/** The color at a point of a window. */
export function findBackdrop(root: View, x: number, y: number): string | undefined {
  const { left, top, right, bottom } = root.visibleBounds
  if (!isVisible(root.visibleBounds) || x < left || x >= right || y < top || y >= bottom) return undefined
  const own = root.style.shape === 'button' ? undefined : root.style.background
  return root.children.reduce<string | undefined>((found, child) => findBackdrop(child, x, y) ?? found, own)
}
