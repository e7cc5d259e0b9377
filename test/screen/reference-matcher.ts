import type { NodeMatcher, NodePredicates } from '@apprentice/contracts/devices/matcher.ts'
import type { Hierarchy, UiNode } from '../../src/screen/hierarchy.ts'
import { inferMatcherRole } from '../../src/screen/roles.ts'

/**
 * The matching rules written the slow way: every node is judged alone, by walking up to the root, and
 * nothing is pruned or compiled. Paths of the matching nodes in tree order.
 */
export function referenceMatches(
  hierarchy: Hierarchy,
  { fallbacks = [], ...matcher }: NodeMatcher,
): string[] | 'no container' {
  const tries = [matcher, ...fallbacks].map((one) => ownMatches(hierarchy, one))
  const first = tries.find((found) => found !== 'no container' && found.length > 0)
  return first ?? tries[0] ?? []
}

function ownMatches(hierarchy: Hierarchy, matcher: NodeMatcher): string[] | 'no container' {
  const visible = hierarchy.nodes.filter((node) =>
    lineage(node).every((one) => isVisible(one, hierarchy)),
  )
  const { container } = matcher
  const below = (node: UiNode, above: UiNode) => node !== above && lineage(node).includes(above)
  const fits = (node: UiNode, wanted: NodePredicates) =>
    holds(node, wanted) &&
    (wanted.containing === undefined ||
      visible.some((one) => below(one, node) && holds(one, wanted.containing ?? {})))
  if (container === undefined) return paths(visible.filter((node) => fits(node, matcher)))
  const region = visible.filter((node) => fits(node, container))[container.index ?? 0]
  if (region === undefined) return 'no container'
  return paths(visible.filter((node) => below(node, region) && fits(node, matcher)))
}

function paths(nodes: readonly UiNode[]): string[] {
  return nodes.map(({ path }) => path)
}

function lineage(node: UiNode): UiNode[] {
  return node.parent === null ? [node] : [node, ...lineage(node.parent)]
}

function rectangle(node: UiNode): number[] {
  return (node.attributes['bounds'] ?? '').match(/-?\d+/g)?.map(Number) ?? []
}

function isVisible(node: UiNode, hierarchy: Hierarchy): boolean {
  const [left = 0, top = 0, right = 0, bottom = 0] = rectangle(node)
  const roots = hierarchy.roots
    .map(rectangle)
    .filter(([l = 0, t = 0, r = 0, b = 0]) => r > l && b > t)
  if (roots.length === 0 || right <= left || bottom <= top) return false
  const edge = (at: number, pick: (...numbers: number[]) => number) =>
    pick(...roots.map((root) => root[at] ?? 0))
  return (
    right > edge(0, Math.min) &&
    bottom > edge(1, Math.min) &&
    left < edge(2, Math.max) &&
    top < edge(3, Math.max)
  )
}

function holds(node: UiNode, wanted: NodePredicates): boolean {
  const a = (name: string) => node.attributes[name] ?? ''
  const label = a('text').trim() ? a('text') : a('content-desc').trim() ? a('content-desc') : ''
  const lower = (word: string) => word.toLowerCase()
  const verdicts = [
    !wanted.resourceId || a('resource-id') === wanted.resourceId,
    !wanted.role || lower(inferMatcherRole(node)) === lower(wanted.role),
    !wanted.textEquals || label === wanted.textEquals,
    !wanted.textContains || lower(label).includes(lower(wanted.textContains)),
    !wanted.contentDescEquals || a('content-desc') === wanted.contentDescEquals,
    !wanted.contentDescContains ||
      lower(a('content-desc')).includes(lower(wanted.contentDescContains)),
    !wanted.class || a('class') === wanted.class,
    wanted.clickable === undefined || String(wanted.clickable) === a('clickable'),
    wanted.checked === undefined || String(wanted.checked) === a('checked'),
    wanted.enabled === undefined || String(wanted.enabled) === a('enabled'),
    wanted.scrollable === undefined || String(wanted.scrollable) === a('scrollable'),
    wanted.longClickable === undefined || String(wanted.longClickable) === a('long-clickable'),
    wanted.indexInParent === undefined || Number(a('index')) === wanted.indexInParent,
    wanted.anyOf === undefined || wanted.anyOf.filter((one) => holds(node, one)).length > 0,
    wanted.allOf === undefined || wanted.allOf.filter((one) => !holds(node, one)).length === 0,
  ]
  return !verdicts.includes(false)
}
