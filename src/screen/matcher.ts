import {
  type ContainerMatcher,
  FLAG_ATTRIBUTES,
  MATCHER_FLAGS,
  type NodeMatcher,
  type NodePredicates,
} from '@apprentice/contracts/devices/matcher.ts'
import { type Bounds, hasArea, intersects, union } from './bounds.ts'
import { type Hierarchy, type UiNode, attribute, isTrue, subtree } from './hierarchy.ts'
import { type MatcherRole, readLabel, inferMatcherRole } from './roles.ts'

/** What to search for. The container of the target encloses the container of the matcher. */
export interface Target {
  readonly matcher: NodeMatcher
  readonly container?: ContainerMatcher | undefined
  readonly strict?: boolean | undefined
}

/** Identifies a node for a person or an agent. */
export interface NodeSummary {
  readonly path: string
  readonly label: string
  readonly class: string
  readonly resource_id: string
  readonly content_desc: string
  readonly role: MatcherRole
  readonly bounds: Bounds | null
}

export type Missing = {
  readonly kind: 'missing'
  readonly error: 'NODE_NOT_FOUND' | 'CONTAINER_NOT_FOUND'
}
export type Ambiguous = {
  readonly kind: 'ambiguous'
  readonly error: 'NODE_AMBIGUOUS' | 'CONTAINER_AMBIGUOUS'
  readonly candidate_count: number
  /** The first ten of them. */
  readonly candidates: readonly NodeSummary[]
}
export type Found<T> = T & {
  readonly kind: 'found'
  /** The number of the fallback that matched, from 1. */
  readonly fallback?: number
}
export type Resolution = Found<{ readonly node: UiNode; readonly match_count: number }> | Missing | Ambiguous
export type Matches = Found<{ readonly nodes: readonly UiNode[] }> | Missing | Ambiguous

/**
 * Resolves a target to one node: the first in tree order, the indexed one, or the only one if strict. If
 * the matcher finds no node, its fallbacks are tried.
 */
export function resolveTarget(
  hierarchy: Hierarchy,
  target: Target,
  scan: Scan = scanOnScreen(findWindow(hierarchy)),
): Resolution {
  return withFallbacks(
    target,
    (one) => {
      const matches = matchOne(hierarchy, one, scan)
      if (matches.kind !== 'found') return matches
      return choose(matches.nodes, one.matcher.index, isStrict(one), 'NODE')
    },
    ({ kind }) => kind === 'missing',
  )
}

/** All nodes that match a target, in tree order. The index is ignored. */
export function matchTarget(
  hierarchy: Hierarchy,
  target: Target,
  scan: Scan = scanOnScreen(findWindow(hierarchy)),
): Matches {
  return withFallbacks(
    target,
    (one) => matchOne(hierarchy, one, scan),
    (found) => found.kind === 'missing' || (found.kind === 'found' && found.nodes.length === 0),
  )
}

/** The result of the matcher, or of the first fallback that finds something. */
function withFallbacks<T extends Resolution | Matches>(
  target: Target,
  search: (target: Target) => T,
  isEmpty: (found: T) => boolean,
): T {
  const own = search(target)
  if (!isEmpty(own)) return own
  const { fallbacks = [], strict } = target.matcher
  for (const [at, fallback] of fallbacks.entries()) {
    const found = search({ ...target, matcher: { ...fallback, strict } })
    if (!isEmpty(found)) return found.kind === 'found' ? { ...found, fallback: at + 1 } : found
  }
  return own
}

function matchOne(hierarchy: Hierarchy, target: Target, scan: Scan): Matches {
  let region = hierarchy.roots
  for (const container of [target.container, target.matcher.container]) {
    if (container === undefined) continue
    const found = scan(region).filter(compilePredicates(container, scan))
    const chosen = choose(found, container.index, isStrict(target), 'CONTAINER')
    if (chosen.kind !== 'found') return chosen
    region = chosen.node.children
  }
  const nodes = scan(region).filter(compilePredicates(target.matcher, scan))
  return { kind: 'found', nodes }
}

/** Lists the nodes of a region that a search considers. */
export type Scan = (roots: readonly UiNode[]) => readonly UiNode[]

export function scanOnScreen(window: Bounds | null): Scan {
  return (roots) => collectOnScreenNodes(roots, window)
}

/** All nodes of the dump, visible or not. */
export function scanWholeTree(roots: readonly UiNode[]): UiNode[] {
  return roots.flatMap((root) => [...subtree(root)])
}

/** The nodes a user can see, depth first. The children of a hidden node are hidden. */
export function collectOnScreenNodes(roots: readonly UiNode[], window: Bounds | null): UiNode[] {
  const visible: UiNode[] = []
  if (window !== null) for (const root of roots) collectVisible(root, window, visible)
  return visible
}

/** The part of the display the dump covers. */
export function findWindow(hierarchy: Hierarchy): Bounds | null {
  let window: Bounds | null = null
  for (const { bounds } of hierarchy.roots) {
    if (bounds === null || !hasArea(bounds)) continue
    window = window === null ? bounds : union(window, bounds)
  }
  return window
}

function compilePredicates(predicates: NodePredicates, scan: Scan): (node: UiNode) => boolean {
  const checks = [...buildTextChecks(predicates), ...buildFlagChecks(predicates)]
  const { indexInParent, anyOf, allOf, containing } = predicates
  if (indexInParent !== undefined) {
    checks.push((node) => attribute(node, 'index') === String(indexInParent))
  }
  const any = anyOf?.map((clause) => compilePredicates(clause, scan))
  if (any !== undefined) checks.push((node) => any.some((clause) => clause(node)))
  for (const clause of allOf ?? []) checks.push(compilePredicates(clause, scan))
  // The most expensive check comes last.
  const inner = containing && compilePredicates(containing, scan)
  if (inner !== undefined) checks.push((node) => scan(node.children).some(inner))
  return (node) => checks.every((check) => check(node))
}

export function summarizeNode(node: UiNode): NodeSummary {
  return {
    path: node.path,
    label: readLabel(node).slice(0, 512),
    class: attribute(node, 'class').slice(0, 512),
    resource_id: attribute(node, 'resource-id').slice(0, 512),
    content_desc: attribute(node, 'content-desc').slice(0, 512),
    role: inferMatcherRole(node),
    bounds: node.bounds,
  }
}

type Check = (node: UiNode) => boolean

function buildTextChecks(predicates: NodePredicates): Check[] {
  const { resourceId, role, textEquals, textContains } = predicates
  const { contentDescEquals, contentDescContains, class: type } = predicates
  return [
    ...whenGiven(resourceId, (id) => (node) => attribute(node, 'resource-id') === id),
    ...whenGiven(type, (name) => (node) => attribute(node, 'class') === name),
    ...whenGiven(textEquals, (text) => (node) => readLabel(node) === text),
    ...whenGiven(textContains, (part) => (node) => includesIgnoringCase(readLabel(node), part)),
    ...whenGiven(contentDescEquals, (text) => (node) => attribute(node, 'content-desc') === text),
    ...whenGiven(contentDescContains, (part) => (node) => includesIgnoringCase(attribute(node, 'content-desc'), part)),
    ...whenGiven(role, (name) => (node) => inferMatcherRole(node) === name.toLowerCase()),
  ]
}

function whenGiven(value: string | undefined, check: (value: string) => Check): Check[] {
  return value === undefined || value === '' ? [] : [check(value)]
}

function includesIgnoringCase(text: string, part: string): boolean {
  return text.toLowerCase().includes(part.toLowerCase())
}

function buildFlagChecks(predicates: NodePredicates): Check[] {
  return MATCHER_FLAGS.flatMap((flag) => {
    const expected = predicates[flag]
    if (expected === undefined) return []
    return [(node: UiNode) => isTrue(node, FLAG_ATTRIBUTES[flag]) === expected]
  })
}

function isStrict({ strict, matcher }: Target): boolean {
  return strict === true || matcher.strict === true
}

function choose(
  nodes: readonly UiNode[],
  index: number | undefined,
  strict: boolean,
  what: 'NODE' | 'CONTAINER',
): Resolution {
  const node = nodes[index ?? 0]
  if (node === undefined) return { kind: 'missing', error: `${what}_NOT_FOUND` }
  if (!strict || index !== undefined || nodes.length === 1) {
    return { kind: 'found', node, match_count: nodes.length }
  }
  return {
    kind: 'ambiguous',
    error: `${what}_AMBIGUOUS`,
    candidate_count: nodes.length,
    candidates: nodes.slice(0, 10).map(summarizeNode),
  }
}

function collectVisible(node: UiNode, window: Bounds, visible: UiNode[]): void {
  const { bounds } = node
  if (bounds === null || !hasArea(bounds) || !intersects(bounds, window)) return
  if (VISIBILITY_ATTRIBUTES.some((name) => node.attributes[name] === 'false')) return
  visible.push(node)
  for (const child of node.children) collectVisible(child, window, visible)
}

/** Attributes that few Android builds write. The value `false` hides a node. */
const VISIBILITY_ATTRIBUTES = ['visible-to-user', 'visible'] as const
