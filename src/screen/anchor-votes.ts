import type { NodeMatcher, NodePredicates } from '@apprentice/contracts/devices/matcher.ts'
import { readCaption } from './control-actions.ts'
import { normalizeLabel, readLabels } from './label-match.ts'
import { isMenuRow } from './menu.ts'
import { comparePageWords, type PageWords } from './page-layout.ts'
import { subtree, type UiNode } from './tree/hierarchy.ts'
import { isAkin, saysAnotherAction } from './words/actions/other-label.ts'
import { splitWords, toPlainText } from './words/phrase-index.ts'

/** What a further anchor of a target says: the node that it found, and how much that counts. */
export interface Vote {
  readonly node: UiNode
  readonly weight: number
  readonly words?: PageWords
}

/** The node on which the anchors agree. */
export interface Elected {
  readonly node: UiNode
  /** The number of the first anchor that found it. */
  readonly fallback: number
  readonly votes: number
  readonly page_words?: PageWords
}

/** The label that a matcher looks for: its own, otherwise that of another anchor. Empty if none has one. */
export function readWantedWords({ fallbacks = [], ...own }: NodeMatcher): string {
  const row = own.row?.[0]?.partEquals
  return [own, ...fallbacks].flatMap(listLabels)[0] ?? row ?? ''
}

const listLabels = ({ textEquals, partEquals, contentDescEquals, containing }: NodePredicates): string[] =>
  [textEquals, partEquals, contentDescEquals, containing?.partEquals].filter((text) => text !== undefined)

/** The vote of an anchor for a node. Undefined if what stands there now is another control. */
export function weighVote(node: UiNode, anchor: NodePredicates, wanted: string): Vote | undefined {
  const { page, foreignTo, means, between } = anchor
  const compared = page === undefined ? undefined : comparePageWords(node, page)
  if (compared === 'different') return undefined
  const isForeign = foreignTo !== undefined || compared === 'foreign'
  const isSameLanguage = compared === 'same' || between !== undefined
  const language = isForeign ? 'foreign' : isSameLanguage ? 'same' : undefined
  if (means === undefined && wanted !== '' && isAnotherControl(node, wanted, language)) return undefined
  if (foreignTo !== undefined) return { node, weight: 2, words: 'foreign' }
  if (compared === undefined) return { node, weight: isAgreed(anchor) ? 2 : 1 }
  return { node, weight: compared === 'unknown' ? 1 : 2, words: compared }
}

/**
 * Whether a control with another label does something else. Which rows a menu has depends on the state of what it is
 * about, so a row with other words is another one.
 */
function isAnotherControl(node: UiNode, wanted: string, language: 'same' | 'foreign' | undefined): boolean {
  const caption = readCaption(node)
  if (caption === '' || normalizeLabel(caption) === normalizeLabel(wanted)) return false
  // "Yes" may be all that is known of "Yes, cancel": what an answer repeats of its question tells nothing.
  if (YES.has(toPlainText(wanted)) && saysYes(node)) return false
  if (saysAnotherAction(caption, wanted, language === 'foreign')) return true
  return language === 'same' && isMenuRow(node) && !isAkin(caption, wanted)
}

/** Whether the label of an answer begins with a yes. */
const saysYes = (node: UiNode): boolean =>
  [...subtree(node)].flatMap(readLabels).some((label) => YES.has(splitWords(toPlainText(label))[0] ?? ''))

const YES: ReadonlySet<string> = new Set('yes ja oui sí sì sim tak evet да はい 是 네 نعم'.split(' '))

/**
 * A control between two known rows, one that all entries have under a new label, or one that says the same action at a
 * known place, was found in two ways.
 */
const isAgreed = ({ means, row, place, member, between, renamedFrom }: NodePredicates): boolean =>
  between !== undefined ||
  renamedFrom !== undefined ||
  (means !== undefined && [row, place, member].some((one) => one !== undefined))

/**
 * The node with most votes. Undefined without votes, if two nodes have as many, or if only its place speaks for it and
 * its label against it.
 */
export function countVotes(
  cast: readonly (Vote | undefined)[],
  anchors: readonly NodePredicates[],
  wanted: string,
): Elected | undefined {
  const votes = new Map<UiNode, number>()
  for (const vote of cast) if (vote !== undefined) votes.set(vote.node, (votes.get(vote.node) ?? 0) + vote.weight)
  const [best, second] = [...votes].toSorted(([, a], [, b]) => b - a)
  if (best === undefined || best[1] === second?.[1]) return undefined
  const [node, count] = best
  const own = cast.filter((vote) => vote?.node === node)
  const page_words = own.find((vote) => vote?.words !== undefined)?.words
  const first = cast.findIndex((vote) => vote?.node === node)
  if (count < MIN_VOTES && isBare(anchors[first]) && isOtherwiseNamed(node, wanted)) return undefined
  return { node, fallback: first + 1, votes: count, ...(page_words !== undefined && { page_words }) }
}

const MIN_VOTES = 2

/** Whether an anchor knows no more than where a node stands, or which of its kind it is. */
const isBare = (anchor: NodePredicates = {}): boolean =>
  Object.entries(anchor).every(([key, value]) => value === undefined || BARE_KEYS.has(key))

const BARE_KEYS: ReadonlySet<string> = new Set(['class', 'clickable', 'place', 'index', 'strict'])

/** Whether a node has a label that has nothing in common with the one that was looked for. */
function isOtherwiseNamed(node: UiNode, wanted: string): boolean {
  const caption = readCaption(node)
  return wanted !== '' && caption !== '' && !isAkin(caption, wanted)
}
