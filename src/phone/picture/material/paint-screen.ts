import type { Device } from '../../model/device.ts'
import { keyboardTop } from '../../model/keyboard.ts'
import { isVisible, visibleViews, type Rect, type View } from '../../model/view.ts'
import { NAVIGATION_BAR_HEIGHT, STATUS_BAR_HEIGHT, type Window } from '../../windows/frame.ts'
import { currentWindows } from '../../windows/window.ts'
import { SURFACE } from './colors.ts'
import type { Fonts } from './fonts.ts'
import { type BarColors, KEYBOARD_COLOR, paintKeyboard, paintNavigationBar } from './paint-system.ts'
import { paintStatusBar, paintToasts } from './paint-system.ts'
import type { PaintContext } from './paint-text.ts'
import { findBackdrop, hasWallpaper, paintView } from './paint-view.ts'
import type { Shape } from './shape.ts'

/** Paints the current screen. Empty when the screen is off. */
export function paintScreen(device: Device, fonts: Fonts): Shape[] {
  const windows = currentWindows(device)
  const [bottom] = windows
  if (bottom === undefined) return []
  const covering = windows.findLast(({ kind }) => kind === 'shade') ?? bottom
  const above = windows.slice(windows.indexOf(covering) + 1)
  const colors = pickBarColors(device, covering)
  return [
    ...paintWindow(device, fonts, covering),
    ...paintStatusBar(device, fonts, colors),
    ...paintNavigationBar(device, colors),
    ...above.flatMap((window): Shape[] => [{ kind: 'dim' }, ...paintWindow(device, fonts, window)]),
    ...paintKeyboard(device, fonts, covering.app.document.color),
    ...(keyboardTop(device) === undefined ? [] : paintNavigationBar(device, { bottom: KEYBOARD_COLOR })),
    ...paintToasts(device, fonts),
  ]
}

function paintWindow(device: Device, fonts: Fonts, window: Window): Shape[] {
  const context = { device, fonts, window }
  return [...paintRecordedSurface(device, window), ...paintTree(window.root, context)]
}

function paintTree(view: View, context: PaintContext): Shape[] {
  if (!isVisible(view.visibleBounds)) return []
  const children = view.children.flatMap((child) => paintTree(child, { ...context, parent: view }))
  return [...paintView(view, context), ...children]
}

const PANEL_MARGIN = 48

/** A recorded tree has no backgrounds: a screen is light, and a dialog is a panel around what it shows. */
function paintRecordedSurface({ screen }: Device, { root, kind }: Window): Shape[] {
  if (!root.fixedClass || root.style.background !== undefined) return []
  const full = { left: 0, top: 0, right: screen.width, bottom: screen.height }
  if (kind !== 'dialog') return [{ kind: 'box', rect: full, fill: SURFACE }]
  const fillsScreen = root.bounds.bottom - root.bounds.top >= screen.height * 0.9
  const rect = fillsScreen ? findShownArea(root, full) : root.bounds
  return [{ kind: 'box', rect, corners: 75, fill: '#ffffff', elevation: 36 }]
}

function findShownArea(root: View, full: Rect): Rect {
  const shown = [...visibleViews(root)].filter((view) => view.text !== '' || view.clickable)
  const inside = shown.filter(({ bounds }) => bounds.bottom - bounds.top < full.bottom * 0.9)
  if (inside.length === 0) return full
  return {
    left: Math.max(0, Math.min(...inside.map(({ bounds }) => bounds.left)) - PANEL_MARGIN),
    top: Math.max(0, Math.min(...inside.map(({ bounds }) => bounds.top)) - PANEL_MARGIN),
    right: Math.min(full.right, Math.max(...inside.map(({ bounds }) => bounds.right)) + PANEL_MARGIN),
    bottom: Math.min(full.bottom, Math.max(...inside.map(({ bounds }) => bounds.bottom)) + PANEL_MARGIN),
  }
}

/** The bars have the colors of what is next to them. */
function pickBarColors({ screen }: Device, window: Window): BarColors {
  const { root } = window
  const middle = Math.floor(screen.width / 2)
  const under = findBackdrop(root, middle, STATUS_BAR_HEIGHT) ?? SURFACE
  if (hasWallpaper(window)) return { wallpaper: under }
  const bottom = findBackdrop(root, middle, screen.height - NAVIGATION_BAR_HEIGHT - 1) ?? SURFACE
  return { top: under, bottom }
}
