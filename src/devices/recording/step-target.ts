import type { NodeMatcher } from '@apprentice/contracts/devices/matcher.ts'
import { centre } from '../../screen/tree/bounds.ts'
import { inferElementRole } from '../../screen/tree/element-traits.ts'
import { readDisplayedText } from '../../screen/elements.ts'
import { attribute, subtree, type Hierarchy, type UiNode } from '../../screen/tree/hierarchy.ts'
import { matchTarget, type NodeSummary, summarizeNode } from '../../screen/matcher.ts'
import { findNodeAt, findScrollableAt, findSliderAt, acceptsTouch, findTouchTarget } from '../../screen/hit-test.ts'
import type { CapturedStep } from './captured-step.ts'

/** The target of a step, and the ways to find it again, most reliable first. */
export interface ObservedTarget {
  readonly node: NodeSummary
  /** Its own label, or the first text inside it. */
  readonly text: string
  readonly candidates: readonly SelectorCandidate[]
}

export interface SelectorCandidate {
  readonly matcher: NodeMatcher
  readonly source: 'resource_id' | 'content_description' | 'text' | 'inner_text' | 'id_and_text' | 'class' | 'position'
  /** How many nodes of the screen it matches. */
  readonly matches: number
  readonly confidence: number
}

/** The node a step acted on: the one that receives a touch at its point. */
export function findTarget(step: CapturedStep): UiNode | undefined {
  const { action, node } = step
  const tree = findTargetTree(step)
  if (tree === undefined) return undefined
  const aimedAt = node === undefined ? undefined : tree.nodes.find(({ path }) => path === node.path)
  if (action.kind === 'text') return aimedAt
  const given = 'point' in action ? action.point : undefined
  const point = given ?? (aimedAt?.bounds ? centre(aimedAt.bounds) : undefined)
  if (action.kind === 'slide') return point && findSliderAt(tree, point)
  if (action.kind === 'scroll') return findScroller(tree, aimedAt, given)
  if (action.kind !== 'tap' && action.kind !== 'long_press') return aimedAt
  if (point === undefined) return aimedAt
  return (
    (aimedAt && acceptsTouch(aimedAt) ? aimedAt : findTouchTarget(tree, point)) ?? aimedAt ?? findNodeAt(tree, point)
  )
}

/** The tree that contains the target: the one before the step, or after it for text without a screen before. */
export function findTargetTree({ action, before, after }: CapturedStep): Hierarchy | undefined {
  return before?.hierarchy ?? (action.kind === 'text' ? after?.hierarchy : undefined)
}

export function describeTarget(tree: Hierarchy, node: UiNode): ObservedTarget {
  const summary = summarizeNode(node)
  const own = readOwnText(node)
  return {
    node: { ...summary, label: own },
    text: own === '' ? readInnerText(node) : own,
    candidates: listCandidates(tree, node),
  }
}

export function isTextField(node: UiNode): boolean {
  return inferElementRole(attribute(node, 'class')) === 'text_field'
}

/**
 * The label of a node, never a password or the content of a field. A description is preferred to a symbol
 * such as `+`.
 */
export function readOwnText(node: UiNode): string {
  const text = isTextField(node) ? '' : readDisplayedText(node).trim()
  const description = attribute(node, 'content-desc').trim()
  const isSymbol = text === '' || !/[\p{L}\p{N}]/u.test(text)
  return isSymbol && description !== '' ? description : text
}

/** The first text inside a row or card, without nodes that take touches themselves. */
export function readInnerText(node: UiNode): string {
  for (const child of node.children) {
    if (acceptsTouch(child)) continue
    for (const one of subtree(child)) {
      const text = readOwnText(one)
      if (text !== '') return text
    }
  }
  return ''
}

function findScroller(
  tree: Hierarchy,
  aimedAt: UiNode | undefined,
  point: { x: number; y: number } | undefined,
): UiNode | undefined {
  if (point !== undefined) return findScrollableAt(tree, point)
  return aimedAt ?? tree.nodes.find((node) => attribute(node, 'scrollable') === 'true')
}

function listCandidates(tree: Hierarchy, node: UiNode): readonly SelectorCandidate[] {
  const resourceId = attribute(node, 'resource-id')
  const description = attribute(node, 'content-desc')
  const text = isTextField(node) ? '' : readDisplayedText(node)
  const inner = readOwnText(node) === '' ? readInnerText(node) : ''
  const label = text.trim() === '' ? inner : text
  const named: Candidate[] = [
    ['resource_id', 1, resourceId !== '' && { resourceId }],
    ['content_description', 0.9, description !== '' && { contentDescEquals: description }],
    ['id_and_text', 0.8, resourceId !== '' && text.trim() !== '' && { resourceId, textEquals: text }],
    ['text', 0.6, text.trim() !== '' && { textEquals: text }],
    ['inner_text', 0.55, inner !== '' && { textEquals: inner }],
    ['class', 0.35, label === '' && description === '' && { class: attribute(node, 'class') }],
  ]
  const found = named.flatMap((candidate) => rateCandidate(tree, node, candidate))
  return [...found, ...toPositionCandidate(tree, node, resourceId)].toSorted((a, b) => b.confidence - a.confidence)
}

type Candidate = readonly [SelectorCandidate['source'], number, NodeMatcher | false]

/** A matcher that n nodes share scores at most 1/n of its value, and at most half. */
function rateCandidate(tree: Hierarchy, node: UiNode, [source, score, matcher]: Candidate): SelectorCandidate[] {
  if (matcher === false || isTooLong(matcher)) return []
  const matches = findMatches(tree, matcher)
  if (matches.length === 0 || (source !== 'inner_text' && !matches.includes(node))) return []
  const share = matches.length > 1 ? Math.min(0.5, 1 / matches.length) : 1
  const confidence = Math.round(score * share * 10_000) / 10_000
  return [{ matcher, source, matches: matches.length, confidence }]
}

/** The position among nodes with the same id. It is the weakest candidate, because lists change. */
function toPositionCandidate(tree: Hierarchy, node: UiNode, resourceId: string): SelectorCandidate[] {
  if (resourceId === '' || resourceId.length > MAX_VALUE_LENGTH) return []
  const alike = findMatches(tree, { resourceId })
  const index = alike.indexOf(node)
  if (alike.length < 2 || index < 0) return []
  return [{ matcher: { resourceId, index }, source: 'position', matches: 1, confidence: 0.3 }]
}

function findMatches(tree: Hierarchy, matcher: NodeMatcher): readonly UiNode[] {
  const matches = matchTarget(tree, { matcher })
  return matches.kind === 'found' ? matches.nodes : []
}

const MAX_VALUE_LENGTH = 512

function isTooLong(matcher: NodeMatcher): boolean {
  return Object.values(matcher).some((value) => typeof value === 'string' && value.length > MAX_VALUE_LENGTH)
}
