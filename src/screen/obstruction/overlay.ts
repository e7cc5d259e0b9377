import { type Bounds, type Point, area, centre, union } from '../tree/bounds.ts'
import { type Hierarchy, type UiNode, isTrue, subtree } from '../tree/hierarchy.ts'
import { isOnlyMeaning } from '../words/words.ts'
import { computeShare, isControl, isShown, readEntryName, readOwnTexts } from './panel.ts'

export interface ScrimmedPanel {
  readonly scrim: UiNode
  /** The smallest node that contains the panel. It may contain the scrim too. */
  readonly panel: UiNode
  /** Where the panel is drawn. */
  readonly bounds: Bounds | null
  readonly outside: Point | undefined
}

/** Finds the darkened area around a panel, and the panel. */
export function findScrim(hierarchy: Hierarchy, window: Bounds): ScrimmedPanel | undefined {
  const scrims = hierarchy.nodes.filter((node) => isScrim(node, window))
  for (const scrim of scrims.toReversed()) {
    const panel = findPanelAt(scrim, window)
    if (panel === undefined) continue
    const bounds = measureContent(panel, scrim)
    return { scrim, panel, bounds, outside: findFreePoint(scrim, bounds) }
  }
  return undefined
}

/** Empty, large, and named as what it is, or touchable above other content. */
function isScrim(node: UiNode, window: Bounds): boolean {
  const share = computeShare(node.bounds, window)
  if (share < MIN_SCRIM_SHARE || node.children.length > 0) return false
  const [label, ...more] = readOwnTexts(node)
  const isTouchable = isTrue(node, 'clickable')
  if (SCRIM_ID.test(readEntryName(node))) return isTouchable || (share > FULL_SHARE && liesAboveContent(node))
  if (more.length > 0 || !isTouchable) return false
  // A camera or a map also fills the window, but nothing lies below it.
  if (label === undefined) return share > FULL_SHARE && liesAboveContent(node)
  return /^scrim$/i.test(label) || isOnlyMeaning(label, 'dismiss')
}

/** Whether something with text is drawn before the node. */
function liesAboveContent(node: UiNode): boolean {
  for (let at = node; at.parent !== null; at = at.parent) {
    const earlier = at.parent.children.slice(0, at.parent.children.indexOf(at))
    if (earlier.some(hasText)) return true
  }
  return false
}

/**
 * The panel beside a scrim: content of a later or earlier sibling of the scrim or of one of its ancestors. It must be
 * smaller than the window, or be named a sheet.
 */
function findPanelAt(scrim: UiNode, window: Bounds): UiNode | undefined {
  for (let at = scrim; at.parent !== null; at = at.parent) {
    const siblings = at.parent.children.filter((one) => one !== at && isShown(one))
    const named = siblings.filter((one) => hasText(one))
    // Earlier siblings are usually what lies below the scrim.
    const later = named.filter((one) => at.parent !== null && isAfter(at.parent, one, at))
    const panel = (later.length > 0 ? later : named).findLast((one) => isPanelSized(measureContent(one, scrim), window))
    if (panel !== undefined) return panel
    if (named.length > 0) return undefined
  }
  return undefined
}

function isAfter(parent: UiNode, one: UiNode, other: UiNode): boolean {
  return parent.children.indexOf(one) > parent.children.indexOf(other)
}

function isPanelSized(bounds: Bounds | null, window: Bounds): boolean {
  const share = computeShare(bounds, window)
  return share > 0 && share < MAX_PANEL_SHARE
}

/** The area of everything that can be read or touched. */
function measureContent(root: UiNode, scrim: UiNode): Bounds | null {
  let all: Bounds | null = null
  for (const node of subtree(root)) {
    if (node === scrim || node.bounds === null || !isShown(node)) continue
    if (readOwnTexts(node).length === 0 && !isControl(node)) continue
    all = all === null ? node.bounds : union(all, node.bounds)
  }
  return all
}

function hasText(root: UiNode): boolean {
  for (const node of subtree(root)) if (readOwnTexts(node).length > 0) return true
  return false
}

/** A point of the scrim that the panel does not cover. */
function findFreePoint({ bounds: scrim }: UiNode, panel: Bounds | null): Point | undefined {
  if (scrim === null || panel === null) return undefined
  const { x } = centre(scrim)
  if (panel.top - scrim.top > MIN_FREE_PX) return { x, y: Math.floor((scrim.top + panel.top) / 2) }
  return scrim.bottom - panel.bottom > MIN_FREE_PX ? { x, y: Math.floor((scrim.bottom + panel.bottom) / 2) } : undefined
}

/** The outermost parts of the tree that are drawn over earlier content, from the last to the first. */
export function findCoveringPanel({ roots }: Hierarchy, window: Bounds): readonly UiNode[] {
  const found: UiNode[] = []
  const visit = (parent: UiNode): void => {
    let below: Bounds | null = null
    for (const child of parent.children) {
      if (child.bounds === null || !isShown(child)) continue
      const isCover =
        below !== null && computeShare(child.bounds, window) < MAX_PANEL_SHARE && covers(child.bounds, below)
      if (isCover && hasText(child)) found.push(child)
      else visit(child)
      if (hasText(child)) below = below === null ? child.bounds : union(below, child.bounds)
    }
  }
  for (const root of roots) visit(root)
  return found.toReversed()
}

/** Whether most of a panel lies on the content below it. */
function covers(panel: Bounds, below: Bounds): boolean {
  return computeShare(below, panel) > MIN_COVERING_SHARE && area(below) > area(panel)
}

const MIN_SCRIM_SHARE = 0.25
const FULL_SHARE = 0.7
const MAX_PANEL_SHARE = 0.75
const MIN_COVERING_SHARE = 0.8
const MIN_FREE_PX = 60
const SCRIM_ID =
  /^(?:touch_outside|scrim|dim|dim_view|backdrop|modal_background|modal_overlay|overlay_background|shade)$/
