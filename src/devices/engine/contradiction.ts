import { splitLabel } from '../../screen/structure/label-parts.ts'
import { type Hierarchy, type UiNode, attribute, isTrue, subtree } from '../../screen/tree/hierarchy.ts'
import { intersects } from '../../screen/tree/bounds.ts'
import { collectOnScreenNodes, findWindow } from '../../screen/matcher.ts'
import { isNamedMessage } from '../../screen/message-name.ts'
import { readOwnTexts } from '../../screen/obstruction/panel.ts'
import { inferMatcherRole } from '../../screen/tree/roles.ts'
import { findRowAround, findStructure } from '../../screen/row-around.ts'
import { hasMeaning } from '../../screen/words/words.ts'
import type { EngineExecution } from './engine-execution.ts'
import { type RunHistory, collectMaskedLabels, maskLabel } from './run-history.ts'
import type { ScreenReading } from './screen-reading.ts'

/** A text beside a claim that says the opposite of success. */
export interface Contradiction {
  readonly text: string
  /** Failures are final. What waits may still happen. */
  readonly kind: 'failure' | 'waiting'
}

/** What the search for contradictions knows about the run. */
export interface ContradictionContext {
  readonly history: RunHistory
  /** Texts that the demonstration showed too. */
  readonly tolerated: readonly string[]
  /** Texts that the run itself typed or looked for. */
  readonly given: readonly string[]
  /** In another language, a text that waits stands for one that the demonstration showed. */
  readonly language: EngineExecution['language']
}

/** Looks beside a claimed node: in its row, card or group, and on the lines next to it. */
export function findContradictionBeside(node: UiNode, context: ContradictionContext): Contradiction | undefined {
  const row = findStructure(node).findRow(node)?.node
  const texts = listTextsBeside(node, row)
  const isNewText = (text: string) => isNew(text, context.history)
  // In an entry of a list everything counts. Beside a single node, what was always there does not.
  const counted = row === undefined ? texts.filter(isNewText) : texts
  return judge(counted, context) ?? judge(listTextsNextTo(row ?? node).filter(isNewText), context)
}

/** Looks beside another node that shows the same as the claimed one: only what is new counts. */
export function findNewContradictionBeside(node: UiNode, context: ContradictionContext): Contradiction | undefined {
  const texts = listTextsBeside(node, findStructure(node).findRow(node)?.node)
  return judge(
    texts.filter((text) => isNew(text, context.history)),
    context,
  )
}

const listTextsBeside = (node: UiNode, row: UiNode | undefined): string[] =>
  [...subtree(row ?? findRowAround(node) ?? node)].flatMap(readOwnTexts)

/**
 * The texts on the lines above, below and beside a node or row, without those of other rows and of controls. The status
 * of a message is often drawn below it without a box around both.
 */
function listTextsNextTo(node: UiNode): string[] {
  const { bounds } = node
  if (bounds === null) return []
  const structure = findStructure(node)
  const reach = Math.min(bounds.bottom - bounds.top, MAX_REACH)
  const { left, top, right, bottom } = bounds
  const around = { left: left - reach, top: top - reach, right: right + reach, bottom: bottom + reach }
  const isNext = (one: UiNode) => one.bounds !== null && intersects(one.bounds, around) && one.children.length === 0
  return [...subtree(findRoot(node))]
    .filter((one) => isNext(one) && !isInControl(one) && structure.findRow(one) === undefined)
    .flatMap(readOwnTexts)
}

function findRoot(node: UiNode): UiNode {
  let root = node
  while (root.parent !== null) root = root.parent
  return root
}

function isNew(text: string, { atStart, beforeLast }: RunHistory): boolean {
  const masked = maskLabel(text)
  return !atStart.has(masked) && !beforeLast.has(masked)
}

/** Looks for messages that appeared since the last touch, on the screen and in dismissed windows. */
export function findContradictingMessage(
  reading: ScreenReading,
  context: ContradictionContext,
): Contradiction | undefined {
  const { history } = context
  const { hierarchy } = reading
  const passed = history.sinceLast.filter((one) => one !== reading).flatMap((one) => findMessages(one, history))
  const left = passed.filter((message) => !isReplaced(message, hierarchy)).map(({ text }) => text)
  const shown = findMessages(reading, history).map(({ text }) => text)
  return (
    judge(shown, context) ??
    judge(listOfflineNotices(hierarchy), context) ??
    judgeGone([...passed.map(({ text }) => text), ...history.dismissed], left, context)
  )
}

/** The messages of a reading since the last touch. They are the same each time. */
function findMessages(reading: ScreenReading, history: RunHistory): readonly Message[] {
  const known = messages.get(reading)
  if (known !== undefined) return known
  const found = listMessages(reading, history)
  messages.set(reading, found)
  return found
}

const messages = new WeakMap<ScreenReading, readonly Message[]>()

/**
 * A message that is gone counts if it reported a failure, or if it announced that the work is done later and nothing took
 * its place. What was in progress may be done by now.
 */
function judgeGone(
  texts: readonly string[],
  left: readonly string[],
  context: ContradictionContext,
): Contradiction | undefined {
  const failed = texts.flatMap((text) => judge([text], context) ?? []).find(({ kind }) => kind === 'failure')
  if (failed !== undefined) return failed
  const later = left.filter((text) => !/(?:\u2026|\.\.\.)$/.test(text) && !hasMeaning(text, 'progress'))
  const found = later.flatMap((text) => judge([text], context) ?? [])[0]
  return found && { ...found, kind: 'failure' }
}

/** Whether another text stands at the place of a message now: a status that went on. */
function isReplaced({ node, text }: Message, hierarchy: Hierarchy): boolean {
  const now = hierarchy.nodes.find((one) => one.path === node.path)
  if (now === undefined || attribute(now, 'class') !== attribute(node, 'class')) return false
  const texts = readOwnTexts(now)
  return texts.length > 0 && !texts.includes(text)
}

/** Notices outside lists and controls that the app has no connection, whenever they appeared. */
function listOfflineNotices(hierarchy: Hierarchy): string[] {
  const visible = collectOnScreenNodes(hierarchy.roots, findWindow(hierarchy))
  return visible
    .filter((node) => !isNavigation(node) && !isInControl(node) && !isInList(node))
    .flatMap(readOwnTexts)
    .filter((text) => hasMeaning(text, 'offline'))
}

const isInControl = (node: UiNode): boolean =>
  isTrue(node, 'clickable') || (node.parent !== null && isTrue(node.parent, 'clickable'))

function judge(
  texts: readonly string[],
  { tolerated, given, language }: ContradictionContext,
): Contradiction | undefined {
  const known = new Set(tolerated.map(maskLabel))
  const mayWait = language === 'foreign' && tolerated.some((text) => hasMeaning(text, 'waiting'))
  let waiting: Contradiction | undefined
  for (const text of texts.flatMap(splitLabel)) {
    if (text.length > MAX_LENGTH || known.has(maskLabel(text))) continue
    const own = removeGiven(text, given)
    if (hasMeaning(own, 'failure')) return { text, kind: 'failure' }
    if (!mayWait && hasMeaning(own, 'waiting')) waiting ??= { text, kind: 'waiting' }
  }
  return waiting
}

/** A label that repeats an input, such as a note about errors, reports nothing. "Sending" does not repeat "Send". */
function removeGiven(text: string, given: readonly string[]): string {
  let rest = text
  for (const one of given) {
    const at = rest.toLowerCase().indexOf(one.toLowerCase())
    const end = at + one.length
    if (at >= 0 && !isInWord(rest, at) && !isInWord(rest, end)) rest = `${rest.slice(0, at)} ${rest.slice(end)}`
  }
  return rest
}

/** Whether a place in a text lies between two letters of a word that is written with spaces around it. */
const isInWord = (text: string, at: number): boolean =>
  isSpacedLetter(text[at - 1] ?? '') && isSpacedLetter(text[at] ?? '')

const isSpacedLetter = (letter: string): boolean => /[\p{L}\p{N}]/u.test(letter) && !JOINED_SCRIPT.test(letter)

const JOINED_SCRIPT = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u

/**
 * Short labels outside lists that are new: on a screen that was there before a touch everything new, on another page its
 * texts without the labels of its controls, which say what can be done there.
 */
function listMessages({ hierarchy }: ScreenReading, history: RunHistory): Message[] {
  const visible = collectOnScreenNodes(hierarchy.roots, findWindow(hierarchy))
  const labels = [...collectMaskedLabels(hierarchy)]
  const visited = history.earlierLabels.filter((known) => measureShare(labels, known) >= SAME_SCREEN_SHARE)
  const isReport = (node: UiNode) => !isInList(node) && (visited.length > 0 || !isInControl(node))
  return visible
    .filter((node) => !isNavigation(node) && (isNamedMessage(node) || isReport(node)))
    .flatMap((node) => readOwnTexts(node).map((text) => ({ node, text })))
    .filter(({ text }) => isNew(text, history) && !visited.some((known) => known.has(maskLabel(text))))
}

interface Message {
  readonly node: UiNode
  readonly text: string
}

function measureShare(labels: readonly string[], known: ReadonlySet<string>): number {
  return labels.length === 0 ? 0 : labels.filter((label) => known.has(label)).length / labels.length
}

/** Tabs, filters and chips name lists: "Pending" on one is not a status. */
function isNavigation(node: UiNode): boolean {
  const role = inferMatcherRole(node)
  return role === 'tab' || role === 'chip' || isTrue(node, 'selected') || isTrue(node, 'checkable')
}

/** Rows of menus, settings and cards belong to the page: what is new in them reports something. */
function isInList(node: UiNode): boolean {
  const structure = findStructure(node)
  const row = structure.findRow(node)
  return row !== undefined && structure.classify(row.group) === 'data'
}

/** Longer texts are content. */
const MAX_LENGTH = 120
const SAME_SCREEN_SHARE = 0.5
/** About two lines of text, in pixels. */
const MAX_REACH = 120
