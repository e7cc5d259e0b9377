import { type Bounds, area, hasArea, intersection, intersects, union } from './tree/bounds.ts'
import { type UiNode, subtree } from './tree/hierarchy.ts'
import { readLabels } from './label-match.ts'

/**
 * The parts of a page that are drawn over the rest together with a node: a question, a sheet or an offer in the window of
 * the page itself. Empty if nothing lies below. A dump may leave out the box around them: then they follow the area that
 * darkens the page.
 */
export function listPanelAround(node: UiNode): readonly UiNode[] {
  for (let at = node; at.parent !== null; at = at.parent) {
    const { children } = at.parent
    const before = children.slice(0, children.indexOf(at))
    const scrim = before.findLastIndex((one, place) => isScrim(one) && before.slice(0, place).some(hasText))
    if (scrim >= 0) return children.slice(scrim + 1)
    if (at.bounds !== null && isCovering(at.bounds, before)) return [at]
  }
  return []
}

/** An empty area over most of the window. */
function isScrim(node: UiNode): boolean {
  let root = node
  while (root.parent !== null) root = root.parent
  if (node.children.length > 0 || node.bounds === null || root.bounds === null) return false
  return area(node.bounds) >= area(root.bounds) * MIN_SCRIM
}

/** Whether most of an area lies over what is drawn before it. */
function isCovering(bounds: Bounds, before: readonly UiNode[]): boolean {
  const below = before
    .filter(hasText)
    .flatMap(({ bounds: one }) => (one !== null && intersects(one, bounds) ? [one] : []))
  const [first, ...others] = below
  if (first === undefined) return false
  const shared = intersection(others.reduce(union, first), bounds)
  return hasArea(shared) && area(shared) >= area(bounds) * MIN_COVERED
}

function hasText(root: UiNode): boolean {
  for (const node of subtree(root)) if (readLabels(node).length > 0) return true
  return false
}

const MIN_COVERED = 0.8
const MIN_SCRIM = 0.7
