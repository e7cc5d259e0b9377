import {
  type ContainerMatcher,
  FLAG_ATTRIBUTES,
  MATCHER_FLAGS,
  type NodeMatcher,
  type NodePredicates,
} from '@apprentice/contracts/devices/matcher.ts'
import { type Bounds, hasArea, intersects, union } from './tree/bounds.ts'
import { type Hierarchy, type UiNode, attribute, isTrue, subtree } from './tree/hierarchy.ts'
import { type MatcherRole, readLabel, inferMatcherRole } from './tree/roles.ts'
import { findGroupsAround, findRowAround, findStructure, listOnLine, listWithCaption } from './row-around.ts'
import { equalsPart, normalizeLabel, readLabels } from './label-match.ts'
import { saysControlActions } from './control-actions.ts'
import { countVotes, readWantedWords, type Vote, weighVote } from './anchor-votes.ts'
import { comparePageWords, findOnPage, type PageWords } from './page-layout.ts'
import { isAtPlace, isAtPosition, isBetween, isInMember, isRenamed } from './node-position.ts'
import { explainComposed } from './shown-value/composed.ts'
import { showsValue } from './shown-value/shown-value.ts'

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
  /** How many fallbacks found this node. A recognised page counts twice. */
  readonly votes?: number
  /** How the texts of the page compare with those of the demonstration, if they are known. */
  readonly page_words?: PageWords
}
export type Resolution = Found<{ readonly node: UiNode; readonly match_count: number }> | Missing | Ambiguous
export type Matches = Found<{ readonly nodes: readonly UiNode[] }> | Missing | Ambiguous

/**
 * Resolves a target to one node: the first in tree order, the indexed one, or the only one if strict. If
 * the matcher finds no node, its fallbacks vote.
 */
export function resolveTarget(
  hierarchy: Hierarchy,
  target: Target,
  scan: Scan = scanOnScreen(findWindow(hierarchy)),
): Resolution {
  const own = resolveOne(hierarchy, target, scan)
  const { fallbacks = [], strict } = target.matcher
  const page = fallbacks.find((fallback) => fallback.page !== undefined)?.page
  if (own.kind === 'found' && page !== undefined) return { ...own, page_words: comparePageWords(own.node, page) }
  if (own.kind !== 'missing' || fallbacks.length === 0) return own
  const words = readWantedWords(target.matcher)
  const found = fallbacks.map((fallback): Vote | undefined => {
    const other = resolveOne(hierarchy, { ...target, matcher: { ...fallback, strict } }, scan)
    return other.kind === 'found' ? weighVote(other.node, fallback, words) : undefined
  })
  const elected = countVotes(found, fallbacks, words)
  return elected === undefined ? own : { kind: 'found', match_count: 1, ...elected }
}

function resolveOne(hierarchy: Hierarchy, target: Target, scan: Scan): Resolution {
  const matches = matchOne(hierarchy, target, scan)
  if (matches.kind !== 'found') return matches
  const { index, row } = target.matcher
  // An index counts within one row. In one of several rows that are alike it chooses nothing.
  const isUnclear = isStrict(target) && row !== undefined && countRows(matches.nodes) > 1
  return choose(matches.nodes, isUnclear ? undefined : index, isStrict(target), 'NODE')
}

/** In how many list entries nodes are. */
export const countRows = (nodes: readonly UiNode[]): number =>
  new Set(nodes.flatMap((node) => findStructure(node).findRow(node)?.node ?? [])).size

/**
 * The anchor that finds the node on which all anchors agree that find one, wherever it is on the screen: 0 for the
 * matcher itself, n for its n-th fallback. At least two must agree, or the only one there is.
 */
export function findAgreedAnchor(hierarchy: Hierarchy, matcher: Target['matcher']): number | undefined {
  const { fallbacks = [], ...own } = matcher
  const scan = scanOnScreen(findWindow(hierarchy))
  const anchors = [own, ...fallbacks]
  const found = anchors.map((anchor) => {
    const one = resolveOne(hierarchy, { matcher: { ...anchor, strict: true } }, scan)
    return one.kind === 'found' ? one.node : undefined
  })
  const [best] = found.filter((node) => node !== undefined)
  const votes = found.filter((node) => node === best).length
  if (best === undefined || found.some((node) => node !== undefined && node !== best)) return undefined
  return votes >= Math.min(2, fallbacks.length) ? found.indexOf(best) : undefined
}

/** All nodes that match a target, or its first fallback that matches any, in tree order. The index is ignored. */
export function matchTarget(
  hierarchy: Hierarchy,
  target: Target,
  scan: Scan = scanOnScreen(findWindow(hierarchy)),
): Matches {
  const own = matchOne(hierarchy, target, scan)
  if (!isEmpty(own)) return own
  const { fallbacks = [], strict } = target.matcher
  for (const [at, fallback] of fallbacks.entries()) {
    const found = matchOne(hierarchy, { ...target, matcher: { ...fallback, strict } }, scan)
    if (!isEmpty(found)) return found.kind === 'found' ? { ...found, fallback: at + 1 } : found
  }
  return own
}

const isEmpty = (found: Matches): boolean =>
  found.kind === 'missing' || (found.kind === 'found' && found.nodes.length === 0)

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
  const { indexInParent, anyOf, allOf, containing, row, group, place, showsTogether } = predicates
  const { entryPosition, followedBy, page, foreignTo, option, member, means, between, renamedFrom } = predicates
  if (foreignTo !== undefined) checks.push((node) => comparePageWords(node, { words: foreignTo }) === 'foreign')
  if (showsTogether !== undefined) checks.push((node) => showsComposed(node, showsTogether))
  const showsValue = predicates.shows !== undefined || showsTogether !== undefined
  if (place !== undefined) checks.push((node) => isAtPlace(node, place, showsValue))
  if (indexInParent !== undefined) {
    checks.push((node) => attribute(node, 'index') === String(indexInParent))
  }
  const any = anyOf?.map((clause) => compilePredicates(clause, scan))
  if (any !== undefined) checks.push((node) => any.some((clause) => clause(node)))
  for (const clause of allOf ?? []) checks.push(compilePredicates(clause, scan))
  // The most expensive check comes last.
  const inner = containing && compilePredicates(containing, scan)
  if (inner !== undefined) checks.push((node) => scan(node.children).some(inner))
  const cells = row?.map((clause) => compilePredicates(clause, scan))
  if (cells !== undefined) checks.push((node) => isInRowWith(node, cells, scan))
  if (page !== undefined) checks.push((node) => findOnPage(node, page) === node)
  const others = group?.map((clause) => compilePredicates(clause, scan))
  if (others !== undefined) checks.push((node) => isInGroupWith(node, others, scan))
  if (entryPosition !== undefined) checks.push((node) => isAtPosition(node, entryPosition))
  if (option !== undefined) checks.push((node) => isOption(node, option))
  if (member !== undefined) checks.push((node) => isInMember(node, member))
  if (between !== undefined) checks.push((node) => isBetween(node, between))
  if (means !== undefined) checks.push((node) => saysControlActions(node, means))
  if (renamedFrom !== undefined) checks.push((node) => isRenamed(node, renamedFrom))
  const next = followedBy?.map((clause) => compilePredicates(clause, scan))
  if (next !== undefined) checks.push((node) => isFollowedBy(node, next, scan))
  return (node) => checks.every((check) => check(node))
}

/** Whether the label of a node shows all values, some of them as one. */
function showsComposed(node: UiNode, values: readonly string[]): boolean {
  const named = new Map(values.map((value, at) => [String(at), value]))
  return readLabels(node).some((label) => explainComposed(label, named)?.inputs.length === values.length)
}

/** Whether the row around a node contains, for each clause, a node that matches it. */
function isInRowWith(node: UiNode, cells: readonly ((node: UiNode) => boolean)[], scan: Scan): boolean {
  const row = findRowAround(node)
  if (row === undefined) return false
  const isRow = (parts: readonly UiNode[]): boolean => {
    const inside = scan(parts)
    return cells.every((isCell) => inside.some(isCell))
  }
  return isRow([row]) || isRow(listOnLine(row)) || isRow(listWithCaption(node))
}

/** Whether a list or choice that a node is in contains, for each clause, a node that matches it. */
function isInGroupWith(node: UiNode, others: readonly ((node: UiNode) => boolean)[], scan: Scan): boolean {
  return findGroupsAround(node).some(({ members }) => {
    const inside = scan(members)
    return others.every((isOther) => inside.some(isOther))
  })
}

/**
 * Whether a node is the member of a choice at the place that an option had among as many. If there are more or fewer by
 * now, it is the only one with the number of the option.
 */
function isOption(node: UiNode, { value, of }: NonNullable<NodePredicates['option']>): boolean {
  const at = of.findIndex((text) => normalizeLabel(text) === normalizeLabel(value))
  return findGroupsAround(node).some(({ members }) => {
    const member = members.length === of.length ? members[at] : findByNumber(members, value)
    return member !== undefined && isWithin(node, member)
  })
}

/** The only member that shows the only number of a value. */
function findByNumber(members: readonly UiNode[], value: string): UiNode | undefined {
  const [wanted, ...more] = readNumbers(value)
  if (wanted === undefined || more.length > 0) return undefined
  const [only, ...others] = members.filter((member) => {
    const [shown, ...rest] = [...subtree(member)].flatMap(readLabels).flatMap(readNumbers)
    return shown === wanted && rest.every((one) => one === wanted)
  })
  return others.length === 0 ? only : undefined
}

const readNumbers = (text: string): number[] =>
  (text.match(/\p{Nd}+(?:[.,]\p{Nd}+)?/gu) ?? []).map((digits) => Number(digits.normalize('NFKC').replace(',', '.')))

function isWithin(node: UiNode, box: UiNode | undefined): boolean {
  for (let one: UiNode | null = node; one !== null; one = one.parent) if (one === box) return true
  return false
}

/** Whether the list entry after the one around a node contains, for each clause, a node that matches it. */
function isFollowedBy(node: UiNode, cells: readonly ((node: UiNode) => boolean)[], scan: Scan): boolean {
  const row = findStructure(node).findRow(node)
  const next = row?.group.members[row.group.members.indexOf(row.node) + 1]
  if (next === undefined) return false
  const inside = scan([next])
  return cells.every((isCell) => inside.some(isCell))
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
  const { contentDescEquals, contentDescContains, partEquals, shows, class: type } = predicates
  return [
    ...whenGiven(resourceId, (id) => (node) => attribute(node, 'resource-id') === id),
    ...whenGiven(type, (name) => (node) => attribute(node, 'class') === name),
    ...whenGiven(textEquals, (text) => (node) => readLabel(node) === text),
    ...whenGiven(textContains, (part) => (node) => includesIgnoringCase(readLabel(node), part)),
    ...whenGiven(contentDescEquals, (text) => (node) => attribute(node, 'content-desc') === text),
    ...whenGiven(contentDescContains, (part) => (node) => includesIgnoringCase(attribute(node, 'content-desc'), part)),
    ...whenGiven(partEquals, (text) => (node) => equalsPart(node, text)),
    ...whenGiven(shows, (value) => (node) => readLabels(node).some((label) => showsValue(label, value))),
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
