import type { NodeMatcher, NodePredicates } from '@apprentice/contracts/devices/matcher.ts'
import type { Hierarchy, UiNode } from '../../src/screen/tree/hierarchy.ts'
import { inferMatcherRole } from '../../src/screen/tree/roles.ts'

/**
 * A slow reference implementation of the matching rules: every node is checked alone, by walking up to the
 * root. Returns the paths of the matching nodes in tree order.
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
  const visible = hierarchy.nodes.filter((node) => lineage(node).every((one) => isVisible(one, hierarchy)))
  const { container } = matcher
  const below = (node: UiNode, above: UiNode) => node !== above && lineage(node).includes(above)
  const fits = (node: UiNode, predicates: NodePredicates) =>
    holds(node, predicates) &&
    (predicates.containing === undefined ||
      visible.some((one) => below(one, node) && holds(one, predicates.containing ?? {})))
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
  const roots = hierarchy.roots.map(rectangle).filter(([l = 0, t = 0, r = 0, b = 0]) => r > l && b > t)
  if (roots.length === 0 || right <= left || bottom <= top) return false
  const edge = (at: number, pick: (...numbers: number[]) => number) => pick(...roots.map((root) => root[at] ?? 0))
  return right > edge(0, Math.min) && bottom > edge(1, Math.min) && left < edge(2, Math.max) && top < edge(3, Math.max)
}

function holds(node: UiNode, predicates: NodePredicates): boolean {
  const a = (name: string) => node.attributes[name] ?? ''
  const label = a('text').trim() ? a('text') : a('content-desc').trim() ? a('content-desc') : ''
  const lower = (word: string) => word.toLowerCase()
  const verdicts = [
    !predicates.resourceId || a('resource-id') === predicates.resourceId,
    !predicates.role || lower(inferMatcherRole(node)) === lower(predicates.role),
    !predicates.textEquals || label === predicates.textEquals,
    !predicates.textContains || lower(label).includes(lower(predicates.textContains)),
    !predicates.contentDescEquals || a('content-desc') === predicates.contentDescEquals,
    !predicates.contentDescContains || lower(a('content-desc')).includes(lower(predicates.contentDescContains)),
    !predicates.class || a('class') === predicates.class,
    predicates.clickable === undefined || String(predicates.clickable) === a('clickable'),
    predicates.checked === undefined || String(predicates.checked) === a('checked'),
    predicates.enabled === undefined || String(predicates.enabled) === a('enabled'),
    predicates.scrollable === undefined || String(predicates.scrollable) === a('scrollable'),
    predicates.longClickable === undefined || String(predicates.longClickable) === a('long-clickable'),
    predicates.indexInParent === undefined || Number(a('index')) === predicates.indexInParent,
    predicates.anyOf === undefined || predicates.anyOf.filter((one) => holds(node, one)).length > 0,
    predicates.allOf === undefined || predicates.allOf.filter((one) => !holds(node, one)).length === 0,
  ]
  return !verdicts.includes(false)
}
