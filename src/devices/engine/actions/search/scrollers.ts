import type { Direction } from '@apprentice/contracts/devices/action.ts'
import { isRecord } from '@apprentice/contracts/devices/matcher.ts'
import { area } from '../../../../screen/tree/bounds.ts'
import { type Hierarchy, type UiNode, attribute, isTrue } from '../../../../screen/tree/hierarchy.ts'
import { type Target, collectOnScreenNodes, findWindow, matchTarget } from '../../../../screen/matcher.ts'
import { isDescendant, length, overlap, toSpan } from '../../../../screen/span.ts'

/** What identifies a scrollable node on later readings. */
export type ScrollerName = Pick<UiNode, 'path' | 'attributes' | 'bounds'>

/**
 * The scrollable nodes to search for a target, best first: those with similar entries, then the largest. Similar entries
 * are nodes that the matcher would find without its texts.
 */
export function rankScrollers(hierarchy: Hierarchy, target: Target): readonly UiNode[] {
  const similar = findSimilarNodes(hierarchy, target)
  const scrollers = listScrollers(hierarchy).map((node) => ({
    node,
    similar: similar.filter((one) => findNearestScroller(one) === node).length,
  }))
  const holders = scrollers.filter((one) => one.similar > 0)
  return (holders.length > 0 ? holders : scrollers)
    .toSorted((one, other) => other.similar - one.similar || measureArea(other.node) - measureArea(one.node))
    .map(({ node }) => node)
}

export function findNearestScroller(node: UiNode): UiNode | undefined {
  for (let at: UiNode | null = node; at !== null; at = at.parent) if (isTrue(at, 'scrollable')) return at
  return undefined
}

/**
 * Finds a named scroller: of those with the same id and class the one at the same edges, at the same path, or the only
 * one. What comes and goes above a list, such as a bar, changes its path.
 */
export function findNamedScroller(hierarchy: Hierarchy, name: ScrollerName): UiNode | undefined {
  const alike = listScrollers(hierarchy).filter((node) =>
    ['resource-id', 'class'].every((key) => attribute(node, key) === (name.attributes[key] ?? '')),
  )
  const beside = alike.filter((node) => hasSameEdges(node, name))
  const isThere = ({ path }: UiNode) => path === name.path
  if (beside.length > 0) return beside.find(isThere) ?? (beside.length === 1 ? beside[0] : undefined)
  return alike.find(isThere) ?? (alike.length === 1 ? alike[0] : undefined)
}

/** Whether two readings of a list start and end at the same places across, and at the same height or depth. */
function hasSameEdges({ bounds: now }: UiNode, { bounds: was }: ScrollerName): boolean {
  if (now === null || was === null || now.left !== was.left || now.right !== was.right) return false
  return now.top === was.top || now.bottom === was.bottom
}

/** Whether two readings of a scroller are of the same one. A path alone may belong to another list after a change. */
export function isSameScroller(one: ScrollerName, other: ScrollerName): boolean {
  const keys = ['resource-id', 'class', 'bounds']
  return one.path === other.path && keys.every((key) => one.attributes[key] === other.attributes[key])
}

/** The direction of a swipe in a container: sideways if its entries lie side by side. */
export function resolveDirection(container: UiNode, direction: Direction | 'across'): Direction {
  if (direction === 'across') return 'right'
  if (direction === 'left' || direction === 'right' || !isSideways(container)) return direction
  return direction === 'down' ? 'right' : 'left'
}

/** Whether the entries of a scrollable node lie side by side. */
export function isSideways(container: UiNode): boolean {
  if (/HorizontalScrollView|ViewPager/.test(attribute(container, 'class'))) return true
  const entries = listEntries(container)
  const [first, ...others] = entries.map(({ bounds }) => toSpan(bounds, true)).filter((span) => span !== undefined)
  if (first === undefined) return false
  if (others.length === 0) return isFlat(container) && /RecyclerView|ListView/.test(attribute(container, 'class'))
  return others.every((span) => 2 * length(overlap(first, span)) > Math.min(length(first), length(span)))
}

/** The children of a container. A single child is a wrapper. */
function listEntries(container: UiNode): readonly UiNode[] {
  let at = container
  for (let only = at; only.children.length === 1; only = at) at = only.children[0] ?? only
  return at.children.length === 0 ? container.children : at.children
}

function isFlat({ bounds }: UiNode): boolean {
  return bounds !== null && bounds.right - bounds.left > FLAT_RATIO * (bounds.bottom - bounds.top)
}

export const hasScroller = (hierarchy: Hierarchy): boolean => listScrollers(hierarchy).length > 0

function listScrollers(hierarchy: Hierarchy): UiNode[] {
  const visible = collectOnScreenNodes(hierarchy.roots, findWindow(hierarchy))
  return visible.filter((node) => isTrue(node, 'scrollable'))
}

function findSimilarNodes(hierarchy: Hierarchy, { matcher, container }: Target): readonly UiNode[] {
  const { fallbacks: _fallbacks, index: _index, ...own } = matcher
  const similar = withoutTexts(own)
  if (!isRecord(similar) || Object.keys(similar).every((key) => VAGUE_KEYS.has(key))) return []
  const matches = matchTarget(hierarchy, { matcher: similar, container, strict: false })
  return matches.kind === 'found' ? matches.nodes.filter((node) => isInScroller(node)) : []
}

const isInScroller = (node: UiNode): boolean => {
  const scroller = findNearestScroller(node)
  return scroller !== undefined && isDescendant(node, scroller)
}

function withoutTexts(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutTexts).filter((one) => isRecord(one) && Object.keys(one).length > 0)
  if (!isRecord(value)) return value
  const kept = Object.entries(value)
    .filter(([key]) => !TEXT_KEYS.has(key))
    .map(([key, inner]) => [key, withoutTexts(inner)] as const)
    .filter(([, inner]) => !isEmpty(inner))
  return Object.fromEntries(kept)
}

function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0
  return isRecord(value) && Object.keys(value).length === 0
}

function measureArea({ bounds }: UiNode): number {
  return bounds === null ? 0 : area(bounds)
}

const TEXT_KEYS: ReadonlySet<string> = new Set([
  'textEquals',
  'textContains',
  'contentDescEquals',
  'contentDescContains',
  'partEquals',
  'shows',
  'place',
  'row',
])
/** Keys that nearly every node fulfils. */
const VAGUE_KEYS: ReadonlySet<string> = new Set([
  'strict',
  'enabled',
  'clickable',
  'focusable',
  'index',
  'indexInParent',
])
/** The number of lists that are searched for one target. */
export const MAX_SCROLLERS = 3
const FLAT_RATIO = 2.5
