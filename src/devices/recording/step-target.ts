import type { NodeMatcher } from '@apprentice/contracts/devices/matcher.ts'
import { centre } from '../../screen/bounds.ts'
import { elementRole } from '../../screen/element-traits.ts'
import { shownText } from '../../screen/elements.ts'
import { attribute, subtree, type Hierarchy, type UiNode } from '../../screen/hierarchy.ts'
import { matchTarget, type NodeSummary, summarizeNode } from '../../screen/matcher.ts'
import {
  nodeUnder,
  scrollerUnder,
  sliderUnder,
  takesTouch,
  touchTarget,
} from '../../screen/hit-test.ts'
import type { StepEvidence } from './step-evidence.ts'

/** What a step acted on, and the ways to find it again, surest first. */
export interface ObservedTarget {
  readonly node: NodeSummary
  /** What a person would call it: its own label, or the first words inside it. */
  readonly words: string
  readonly candidates: readonly SelectorCandidate[]
}

export interface SelectorCandidate {
  readonly matcher: NodeMatcher
  readonly source:
    | 'resource_id'
    | 'content_description'
    | 'text'
    | 'inner_text'
    | 'id_and_text'
    | 'class'
    | 'position'
  /** How many nodes of this screen it fits. */
  readonly matches: number
  readonly confidence: number
}

/** The node a step acted on: what would have received the touch at that place. */
export function resolveNode(evidence: StepEvidence): UiNode | undefined {
  const { action, node } = evidence
  const tree = targetTree(evidence)
  if (tree === undefined) return undefined
  const aimed = node === undefined ? undefined : tree.nodes.find(({ path }) => path === node.path)
  if (action.kind === 'text') return aimed
  const given = 'point' in action ? action.point : undefined
  const point = given ?? (aimed?.bounds ? centre(aimed.bounds) : undefined)
  if (action.kind === 'slide') return point && sliderUnder(tree, point)
  if (action.kind === 'scroll') return scrollerOf(tree, aimed, given)
  if (action.kind !== 'tap' && action.kind !== 'long_press') return aimed
  if (point === undefined) return aimed
  return (
    (aimed && takesTouch(aimed) ? aimed : touchTarget(tree, point)) ??
    aimed ??
    nodeUnder(tree, point)
  )
}

/** The tree a step's node belongs to: that before it, or for text typed unseen the one after it. */
export function targetTree({ action, before, after }: StepEvidence): Hierarchy | undefined {
  return before?.hierarchy ?? (action.kind === 'text' ? after?.hierarchy : undefined)
}

export function observeTarget(tree: Hierarchy, node: UiNode): ObservedTarget {
  const summary = summarizeNode(node)
  const own = ownWords(node)
  return {
    node: { ...summary, label: own },
    words: own === '' ? innerWords(node) : own,
    candidates: candidatesOf(tree, node),
  }
}

export function isTextField(node: UiNode): boolean {
  return elementRole(attribute(node, 'class')) === 'text_field'
}

/**
 * The node's own words; never those of a password, nor of what a person has typed. A sign such as `+`
 * says less than the description that goes with it.
 */
export function ownWords(node: UiNode): string {
  const text = isTextField(node) ? '' : shownText(node).trim()
  const description = attribute(node, 'content-desc').trim()
  const isSign = text === '' || !/[\p{L}\p{N}]/u.test(text)
  return isSign && description !== '' ? description : text
}

/** The first words inside a row or card, leaving out what takes touches of its own. */
export function innerWords(node: UiNode): string {
  for (const child of node.children) {
    if (takesTouch(child)) continue
    for (const one of subtree(child)) {
      const words = ownWords(one)
      if (words !== '') return words
    }
  }
  return ''
}

function scrollerOf(
  tree: Hierarchy,
  aimed: UiNode | undefined,
  point: { x: number; y: number } | undefined,
): UiNode | undefined {
  if (point !== undefined) return scrollerUnder(tree, point)
  return aimed ?? tree.nodes.find((node) => attribute(node, 'scrollable') === 'true')
}

function candidatesOf(tree: Hierarchy, node: UiNode): readonly SelectorCandidate[] {
  const resourceId = attribute(node, 'resource-id')
  const description = attribute(node, 'content-desc')
  const text = isTextField(node) ? '' : shownText(node)
  const inner = ownWords(node) === '' ? innerWords(node) : ''
  const words = text.trim() === '' ? inner : text
  const named: Candidate[] = [
    ['resource_id', 1, resourceId !== '' && { resourceId }],
    ['content_description', 0.9, description !== '' && { contentDescEquals: description }],
    [
      'id_and_text',
      0.8,
      resourceId !== '' && text.trim() !== '' && { resourceId, textEquals: text },
    ],
    ['text', 0.6, text.trim() !== '' && { textEquals: text }],
    ['inner_text', 0.55, inner !== '' && { textEquals: inner }],
    ['class', 0.35, words === '' && description === '' && { class: attribute(node, 'class') }],
  ]
  const found = named.flatMap((candidate) => weigh(tree, node, candidate))
  return [...found, ...positionOf(tree, node, resourceId)].toSorted(
    (a, b) => b.confidence - a.confidence,
  )
}

type Candidate = readonly [SelectorCandidate['source'], number, NodeMatcher | false]

/** One handle shared by n nodes is worth at most 1/n, and never over a half. */
function weigh(
  tree: Hierarchy,
  node: UiNode,
  [source, score, matcher]: Candidate,
): SelectorCandidate[] {
  if (matcher === false || isTooLong(matcher)) return []
  const matches = matchesOf(tree, matcher)
  if (matches.length === 0 || (source !== 'inner_text' && !matches.includes(node))) return []
  const share = matches.length > 1 ? Math.min(0.5, 1 / matches.length) : 1
  const confidence = Math.round(score * share * 10_000) / 10_000
  return [{ matcher, source, matches: matches.length, confidence }]
}

/** Where several share an id, which of them it is: the weakest handle, as lists change. */
function positionOf(tree: Hierarchy, node: UiNode, resourceId: string): SelectorCandidate[] {
  if (resourceId === '' || resourceId.length > MAX_WORDS) return []
  const alike = matchesOf(tree, { resourceId })
  const index = alike.indexOf(node)
  if (alike.length < 2 || index < 0) return []
  return [{ matcher: { resourceId, index }, source: 'position', matches: 1, confidence: 0.3 }]
}

function matchesOf(tree: Hierarchy, matcher: NodeMatcher): readonly UiNode[] {
  const matches = matchTarget(tree, { matcher })
  return matches.kind === 'found' ? matches.nodes : []
}

const MAX_WORDS = 512

function isTooLong(matcher: NodeMatcher): boolean {
  return Object.values(matcher).some(
    (value) => typeof value === 'string' && value.length > MAX_WORDS,
  )
}
