import { isTrue, type Hierarchy, type UiNode } from '../../../screen/tree/hierarchy.ts'
import { collectOnScreenNodes, findWindow } from '../../../screen/matcher.ts'
import type { ObservedStep, ObservedTrace } from '../../steps/observed-step.ts'
import type { ElementRef, ProofCandidate } from '../read/element-ref.ts'
import { readText } from '../read/node-text.ts'

const MAX_CANDIDATES = 8
/** How many of the last screens are searched for what shows the outcome. */
const MAX_SCREENS = 3
const MIN_WORD_LENGTH = 3

interface KeptScreen {
  readonly step: ObservedStep
  readonly nodes: readonly UiNode[]
}

/** The elements of the last screens that may show the outcome: new texts first, then new states, then other texts. */
export function proposeElements(traces: readonly ObservedTrace[]): ProofCandidate[] {
  const screens = listScreensAfter(traces.at(-1)).slice(-MAX_SCREENS).toReversed()
  const known = collectEarlierTexts(traces)
  const found = screens.flatMap(({ step, nodes }) =>
    nodes.flatMap((node) => {
      const text = readText(node)
      const isOn = isTrue(node, 'checked') || isTrue(node, 'selected')
      if (text === '' && !isOn) return []
      const strength = text !== '' && !known.has(text) ? 3 : isOn ? 2 : 1
      return [{ event_id: step.event_id, node_path: node.path, text: describeElement(text, isOn), strength }]
    }),
  )
  const sorted = found.toSorted((one, other) => other.strength - one.strength)
  const distinct = sorted.filter(({ text }, at) => sorted.findIndex((other) => other.text === text) === at)
  return distinct.slice(0, MAX_CANDIDATES).map((one, at) => ({ candidate_id: `element_${at + 1}`, ...one }))
}

/** What an element shows, as a sentence. */
export function describeElement(text: string, isOn: boolean): string {
  const shown = text.replaceAll(/\s+/g, ' ').slice(0, 120)
  if (shown === '') return 'A control is on'
  return isOn ? `"${shown}" is on` : `The screen shows "${shown}"`
}

/**
 * The element that an answer in words names: its text is quoted, or it is in the answer and was on no earlier screen.
 * The last screen and the longest text count first.
 */
export function bindWords(words: string, traces: readonly ObservedTrace[]): ElementRef | undefined {
  const answer = fold(words)
  const quoted = new Set([answer, ...[...words.matchAll(QUOTED)].map((match) => fold(match[1] ?? ''))])
  const known = collectEarlierTexts(traces)
  for (const { step, nodes } of listScreensAfter(traces.at(-1)).toReversed()) {
    const named = nodes
      .filter((node) => {
        const text = readText(node)
        const folded = fold(text)
        if (folded.length < MIN_WORD_LENGTH) return false
        return quoted.has(folded) || (!known.has(text) && containsWords(answer, folded))
      })
      .toSorted((one, other) => readText(other).length - readText(one).length)
    const [node] = named
    if (node !== undefined) return { event_id: step.event_id, node_path: node.path }
  }
  return undefined
}

const QUOTED = /["“”„«»]([^"“”„«»]+)["“”„«»]/gu

/** Whether the words are part of a text, and are not part of longer words. */
function containsWords(text: string, words: string): boolean {
  const at = ` ${text} `.indexOf(` ${words} `)
  return at !== -1
}

const fold = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()

/** The step of the demonstration that touched an element or typed into it, the last one first. */
export function findUsingStep(node: UiNode, traces: readonly ObservedTrace[]): ObservedStep | undefined {
  const label = fold(readText(node))
  return traces
    .flatMap(({ steps }) => steps)
    .findLast((step) => {
      const target = findTarget(step)
      if (target === undefined) return false
      if (isSameElement(target, node)) return true
      return label !== '' && [target, ...listInside(target)].some((one) => fold(readText(one)) === label)
    })
}

function findTarget({ before, after, node_path }: ObservedStep): UiNode | undefined {
  const tree = before ?? after
  return node_path === undefined ? undefined : tree?.nodes.find(({ path }) => path === node_path)
}

const isSameElement = (one: UiNode, other: UiNode): boolean =>
  one.path === other.path &&
  one.attributes['class'] === other.attributes['class'] &&
  one.attributes['resource-id'] === other.attributes['resource-id'] &&
  isTrue(other, 'focusable')

const listInside = (node: UiNode): UiNode[] => node.children.flatMap((child) => [child, ...listInside(child)])

function listScreensAfter(trace: ObservedTrace | undefined): KeptScreen[] {
  return (trace?.steps ?? []).flatMap((step) =>
    step.after === undefined ? [] : [{ step, nodes: listVisible(step.after) }],
  )
}

const listVisible = (tree: Hierarchy): readonly UiNode[] => collectOnScreenNodes(tree.roots, findWindow(tree))

/** The texts of all screens before a step. What they show was there before the outcome. */
function collectEarlierTexts(traces: readonly ObservedTrace[]): ReadonlySet<string> {
  const trees = traces.flatMap(({ steps }) => steps.flatMap(({ before }) => before ?? []))
  return new Set(trees.flatMap((tree) => listVisible(tree).map(readText)))
}
