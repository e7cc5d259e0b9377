import { type Bounds, type Point, area, centre, union } from '../tree/bounds.ts'
import { readDialogText } from '../dialog.ts'
import { type Hierarchy, type UiNode, attribute } from '../tree/hierarchy.ts'
import { findWindow } from '../matcher.ts'
import { hasMeaning } from '../words/words.ts'
import { findDismissControl, hasAgreeControl } from './dismiss-control.ts'
import { findKeyboard } from './keyboard.ts'
import { findCoveringPanel, findScrim } from './overlay.ts'
import { type Panel, computeShare, readPanel } from './panel.ts'

export type ObstructionKind =
  | 'permission'
  | 'system'
  | 'dialog'
  | 'sheet'
  | 'banner'
  | 'coach_mark'
  | 'promotion'
  | 'keyboard'

/** Something that covers the app, and the ways to leave it that change nothing. */
export interface Obstruction {
  readonly kind: ObstructionKind
  /** Identifies it on later readings. */
  readonly signature: string
  /** Its first texts. */
  readonly text: string
  /** The nodes in it. Absent for a keyboard. */
  readonly root?: UiNode
  /** The darkened area around it. */
  readonly scrim?: UiNode
  /** The control that dismisses it. */
  readonly control?: UiNode
  /** Back closes only this. */
  readonly closesOnBack: boolean
  /** A point outside that closes it. */
  readonly outside?: Point
}

/**
 * Finds what covers the app on this screen. `packages` are the apps that the workflow uses. A window that shows progress
 * or takes input is not an obstruction: it belongs to what is happening.
 */
export function findObstruction(hierarchy: Hierarchy, packages: ReadonlySet<string>): Obstruction | undefined {
  const window = findWindow(hierarchy)
  if (window === null) return undefined
  const floating = findFloatingWindow(hierarchy, packages)
  if (floating !== undefined) return floating
  const isOwn = packages.size === 0 || hierarchy.roots.some((root) => packages.has(attribute(root, 'package')))
  if (!isOwn) return undefined
  return (
    findScrimmedPanel(hierarchy, window) ??
    findOverlay(hierarchy, window) ??
    findPromotion(hierarchy, window) ??
    findKeyboardObstruction(hierarchy)
  )
}

/** A window of its own: smaller than the display, a dialog of the framework, or of another package. */
function findFloatingWindow(hierarchy: Hierarchy, packages: ReadonlySet<string>): Obstruction | undefined {
  const display = findDisplay(hierarchy)
  const contents = hierarchy.roots.filter((root) => isContentWindow(root, display))
  const root = contents.findLast((one) => isFloating(one, display)) ?? contents.at(-1)
  if (root === undefined) return undefined
  const name = attribute(root, 'package')
  const isForeign = SYSTEM_PACKAGES.test(name) ? !packages.has(name) : packages.size > 0 && !packages.has(name)
  const floats = isFloating(root, display)
  const isDialog = floats || (contents.length === 1 && readDialogText(hierarchy) !== undefined)
  if (!isDialog && !(isForeign && SYSTEM_PACKAGES.test(name))) return undefined
  const panel = readPanel(root)
  // Bars and messages that pass have nothing to touch or nothing to say.
  if (isBusy(panel) || panel.texts.length === 0 || panel.controls.length === 0) return undefined
  if (!isForeign && (panel.hasForm || panel.controls.length > MAX_CONTROLS)) return undefined
  return toObstruction(panel, {
    kind: readWindowKind(root, isForeign, display),
    closesOnBack: true,
    ...(floats && { outside: findPointOutside(root, display) }),
  })
}

function readWindowKind(root: UiNode, isForeign: boolean, display: Bounds): ObstructionKind {
  if (/permissioncontroller|packageinstaller/.test(attribute(root, 'package'))) return 'permission'
  if (isForeign) return 'system'
  const { bounds } = root
  const isAtBottom = bounds !== null && bounds.left <= display.left && bounds.bottom >= 0.97 * display.bottom
  return isAtBottom && bounds.top > 0.2 * display.bottom ? 'sheet' : 'dialog'
}

/** A panel in the window of the app with a darkened area around it. */
function findScrimmedPanel(hierarchy: Hierarchy, window: Bounds): Obstruction | undefined {
  const found = findScrim(hierarchy, window)
  if (found === undefined) return undefined
  const panel = readPanel(found.panel, found.scrim)
  if (isBusy(panel) || panel.hasForm || panel.controls.length > MAX_CONTROLS || panel.texts.length === 0) {
    return undefined
  }
  const isLow = found.bounds !== null && centre(found.bounds).y > LOW_SHARE * window.bottom
  return toObstruction(panel, {
    kind: isLow ? 'sheet' : 'dialog',
    closesOnBack: true,
    scrim: found.scrim,
    ...(found.outside && { outside: found.outside }),
  })
}

/** A banner or hint above the content. Back would leave the screen, so only a control of its own dismisses it. */
function findOverlay(hierarchy: Hierarchy, window: Bounds): Obstruction | undefined {
  for (const root of findCoveringPanel(hierarchy, window)) {
    const panel = readPanel(root)
    const { controls, hasForm } = panel
    if (hasForm || isBusy(panel) || controls.length === 0 || controls.length > MAX_CONTROLS) continue
    if (!panel.texts.some((text) => text.includes(' ') || text.length >= MIN_TEXT)) continue
    if (findDismissControl(panel) === undefined) continue
    const isWide = (root.bounds?.right ?? 0) - (root.bounds?.left ?? 0) >= 0.8 * (window.right - window.left)
    return toObstruction(panel, { kind: isWide ? 'banner' : 'coach_mark', closesOnBack: false })
  }
  return undefined
}

/** A whole screen with little to touch that asks for something and offers to skip it. */
function findPromotion({ roots }: Hierarchy, window: Bounds): Obstruction | undefined {
  const root = roots.findLast((one) => computeShare(one.bounds, window) > FULL_SHARE)
  if (root === undefined) return undefined
  const panel = readPanel(root)
  if (isBusy(panel) || panel.hasForm || panel.controls.length < 2 || panel.controls.length > MAX_CONTROLS) {
    return undefined
  }
  if (findDismissControl(panel) === undefined || !hasAgreeControl(panel)) return undefined
  return toObstruction(panel, { kind: 'promotion', closesOnBack: false })
}

function findKeyboardObstruction(hierarchy: Hierarchy): Obstruction | undefined {
  if (!findKeyboard(hierarchy)) return undefined
  return { kind: 'keyboard', signature: 'keyboard', text: '', closesOnBack: true }
}

function toObstruction(
  panel: Panel,
  facts: Pick<Obstruction, 'kind' | 'closesOnBack' | 'scrim'> & { readonly outside?: Point | undefined },
): Obstruction {
  const { root, texts, controls } = panel
  const control = findDismissControl(panel)
  const { outside, ...rest } = facts
  const labels = [...texts, ...controls.map(({ label }) => label)].map((text) => text.replaceAll(/\d+/g, '0'))
  return {
    ...rest,
    root,
    signature: [attribute(root, 'package'), ...labels].join('\n'),
    text: texts.join(' ').slice(0, MAX_DESCRIPTION),
    ...(control !== undefined && { control }),
    ...(outside !== undefined && { outside }),
  }
}

/** Something is in progress: it ends by itself. */
function isBusy({ texts, hasProgress }: Panel): boolean {
  return hasProgress || texts.some((text) => hasMeaning(text, 'loading') || isUnfinished(text))
}

function isUnfinished(text: string): boolean {
  return /(?:\u2026|\.\.\.)$/.test(text) && hasMeaning(text, 'waiting')
}

/** The display, measured from its corner: the window of a dialog does not start there. */
function findDisplay({ roots }: Hierarchy): Bounds {
  const corner = { left: 0, top: 0, right: 0, bottom: 0 }
  return roots.reduce((all: Bounds, { bounds }) => (bounds === null ? all : union(all, bounds)), corner)
}

/** Status bars, navigation bars and keyboards are windows too. */
function isContentWindow({ bounds, attributes }: UiNode, display: Bounds): boolean {
  if (bounds === null || /inputmethod|keyboard/i.test(attributes['package'] ?? '')) return false
  return bounds.bottom - bounds.top > MIN_WINDOW_SHARE * display.bottom
}

function isFloating({ bounds }: UiNode, display: Bounds): boolean {
  if (bounds === null) return false
  const starts = bounds.left > 0 || bounds.top > MIN_WINDOW_SHARE * display.bottom
  return starts || area(bounds) < 0.7 * area(display)
}

/** Above the window, or below it if it is at the top. */
function findPointOutside({ bounds }: UiNode, display: Bounds): Point | undefined {
  if (bounds === null) return undefined
  const { x } = centre(bounds)
  if (bounds.top > MIN_OUTSIDE_PX) return { x, y: Math.floor(bounds.top / 2) }
  const below = display.bottom - bounds.bottom
  return below > MIN_OUTSIDE_PX ? { x, y: bounds.bottom + Math.floor(below / 2) } : undefined
}

const MAX_CONTROLS = 4
const MIN_TEXT = 12
const LOW_SHARE = 0.62
const FULL_SHARE = 0.85
const MAX_DESCRIPTION = 300
const MIN_OUTSIDE_PX = 100
/** Lower windows are bars. */
const MIN_WINDOW_SHARE = 0.08

const SYSTEM_PACKAGES =
  /^(?:android|com\.android\.systemui|com\.google\.android\.gms|com\.android\.vending|.*\.(?:permissioncontroller|packageinstaller))$/
