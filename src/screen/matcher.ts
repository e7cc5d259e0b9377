import {
  type ContainerMatcher,
  FLAG_ATTRIBUTES,
  MATCHER_FLAGS,
  type NodeMatcher,
  type NodePredicates,
} from '@apprentice/contracts/devices/matcher.ts'
import { type Bounds, hasArea, intersects, union } from './bounds.ts'
import { type Hierarchy, type UiNode, attribute, isTrue, subtree } from './hierarchy.ts'
import { type MatcherRole, labelOf, matcherRole } from './roles.ts'

/** What to look for, and where. A container of the target is outside the matcher's own container. */
export interface Target {
  readonly matcher: NodeMatcher
  readonly container?: ContainerMatcher | undefined
  readonly strict?: boolean | undefined
}

/** Enough of a node for a person or an agent to tell it from the others. */
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
  /** Which fallback of the matcher it was found by, from 1. */
  readonly fallback?: number
}
export type Resolution =
  | Found<{ readonly node: UiNode; readonly match_count: number }>
  | Missing
  | Ambiguous
export type Matches = Found<{ readonly nodes: readonly UiNode[] }> | Missing | Ambiguous

/**
 * The node a target names: the first in tree order, the indexed one, or the only one when strict. The
 * fallbacks of its matcher are for the case that there is none.
 */
export function resolveTarget(
  hierarchy: Hierarchy,
  target: Target,
  scan: Scan = onScreen(windowOf(hierarchy)),
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

/** Every node a target describes, in tree order; its index plays no part. On screen unless told. */
export function matchTarget(
  hierarchy: Hierarchy,
  target: Target,
  scan: Scan = onScreen(windowOf(hierarchy)),
): Matches {
  return withFallbacks(
    target,
    (one) => matchOne(hierarchy, one, scan),
    (found) => found.kind === 'missing' || (found.kind === 'found' && found.nodes.length === 0),
  )
}

/** What the matcher itself gives, or the first fallback that gives anything. */
function withFallbacks<T extends Resolution | Matches>(
  target: Target,
  search: (target: Target) => T,
  isNothing: (found: T) => boolean,
): T {
  const own = search(target)
  if (!isNothing(own)) return own
  const { fallbacks = [], strict } = target.matcher
  for (const [at, fallback] of fallbacks.entries()) {
    const found = search({ ...target, matcher: { ...fallback, strict } })
    if (!isNothing(found)) return found.kind === 'found' ? { ...found, fallback: at + 1 } : found
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

/** Which nodes of a region are looked at. */
export type Scan = (roots: readonly UiNode[]) => readonly UiNode[]

export function onScreen(window: Bounds | null): Scan {
  return (roots) => onScreenNodes(roots, window)
}

/** Everything the dump holds, seen or not. */
export function everywhere(roots: readonly UiNode[]): UiNode[] {
  return roots.flatMap((root) => [...subtree(root)])
}

/** Nodes a user can see, depth first. What lies under a hidden node is hidden with it. */
export function onScreenNodes(roots: readonly UiNode[], window: Bounds | null): UiNode[] {
  const seen: UiNode[] = []
  if (window !== null) for (const root of roots) collectOnScreen(root, window, seen)
  return seen
}

/** The part of the display the dump covers. */
export function windowOf(hierarchy: Hierarchy): Bounds | null {
  let window: Bounds | null = null
  for (const { bounds } of hierarchy.roots) {
    if (bounds === null || !hasArea(bounds)) continue
    window = window === null ? bounds : union(window, bounds)
  }
  return window
}

function compilePredicates(wanted: NodePredicates, scan: Scan): (node: UiNode) => boolean {
  const checks = [...wordChecks(wanted), ...flagChecks(wanted)]
  const { indexInParent, anyOf, allOf, containing } = wanted
  if (indexInParent !== undefined) {
    checks.push((node) => attribute(node, 'index') === String(indexInParent))
  }
  const any = anyOf?.map((clause) => compilePredicates(clause, scan))
  if (any !== undefined) checks.push((node) => any.some((clause) => clause(node)))
  for (const clause of allOf ?? []) checks.push(compilePredicates(clause, scan))
  // The dearest check of all comes last.
  const inner = containing && compilePredicates(containing, scan)
  if (inner !== undefined) checks.push((node) => scan(node.children).some(inner))
  return (node) => checks.every((check) => check(node))
}

export function summarizeNode(node: UiNode): NodeSummary {
  return {
    path: node.path,
    label: labelOf(node).slice(0, 512),
    class: attribute(node, 'class').slice(0, 512),
    resource_id: attribute(node, 'resource-id').slice(0, 512),
    content_desc: attribute(node, 'content-desc').slice(0, 512),
    role: matcherRole(node),
    bounds: node.bounds,
  }
}

type Check = (node: UiNode) => boolean

function wordChecks(wanted: NodePredicates): Check[] {
  const { resourceId, role, textEquals, textContains } = wanted
  const { contentDescEquals, contentDescContains, class: type } = wanted
  return [
    ...whenGiven(resourceId, (id) => (node) => attribute(node, 'resource-id') === id),
    ...whenGiven(type, (name) => (node) => attribute(node, 'class') === name),
    ...whenGiven(textEquals, (text) => (node) => labelOf(node) === text),
    ...whenGiven(textContains, (part) => (node) => includesWords(labelOf(node), part)),
    ...whenGiven(contentDescEquals, (text) => (node) => attribute(node, 'content-desc') === text),
    ...whenGiven(
      contentDescContains,
      (part) => (node) => includesWords(attribute(node, 'content-desc'), part),
    ),
    ...whenGiven(role, (name) => (node) => matcherRole(node) === name.toLowerCase()),
  ]
}

function whenGiven(word: string | undefined, check: (word: string) => Check): Check[] {
  return word === undefined || word === '' ? [] : [check(word)]
}

function includesWords(text: string, part: string): boolean {
  return text.toLowerCase().includes(part.toLowerCase())
}

function flagChecks(wanted: NodePredicates): Check[] {
  return MATCHER_FLAGS.flatMap((flag) => {
    const expected = wanted[flag]
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

function collectOnScreen(node: UiNode, window: Bounds, seen: UiNode[]): void {
  const { bounds } = node
  if (bounds === null || !hasArea(bounds) || !intersects(bounds, window)) return
  if (HIDING.some((name) => node.attributes[name] === 'false')) return
  seen.push(node)
  for (const child of node.children) collectOnScreen(child, window, seen)
}

/** No known dump carries these; a build that does means them. */
const HIDING = ['visible-to-user', 'visible'] as const
