import { splitLabel } from '../../screen/structure/label-parts.ts'
import { type Hierarchy, type UiNode, attribute, isTrue, subtree } from '../../screen/tree/hierarchy.ts'
import { collectOnScreenNodes, findWindow } from '../../screen/matcher.ts'
import { readOwnTexts } from '../../screen/obstruction/panel.ts'
import { inferMatcherRole } from '../../screen/tree/roles.ts'
import { findRowAround, findStructure } from '../../screen/row-around.ts'
import { hasMeaning } from '../../screen/words/words.ts'
import { type RunHistory, collectMaskedLabels, maskLabel } from './run-history.ts'

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
}

/** Looks beside a claimed node: in its row, card or group. */
export function findContradictionBeside(node: UiNode, context: ContradictionContext): Contradiction | undefined {
  const row = findStructure(node).findRow(node)?.node
  const texts = [...subtree(row ?? findRowAround(node) ?? node)].flatMap(readOwnTexts)
  // In an entry of a list everything counts. Beside a single node, what was always there does not.
  return judge(row === undefined ? texts.filter((text) => isNew(text, context.history)) : texts, context)
}

function isNew(text: string, { atStart, beforeLast }: RunHistory): boolean {
  const masked = maskLabel(text)
  return !atStart.has(masked) && !beforeLast.has(masked)
}

/** Looks for messages that appeared since the last touch, on the screen and in dismissed windows. */
export function findContradictingMessage(
  hierarchy: Hierarchy,
  context: ContradictionContext,
): Contradiction | undefined {
  const { history } = context
  const earlier = history.sinceLast.filter((reading) => reading.hierarchy !== hierarchy)
  const passed = earlier.flatMap((reading) => listMessages(reading.hierarchy, history))
  const gone = [...passed, ...history.dismissed]
  return judge(listMessages(hierarchy, history), context) ?? judgeFailures(gone, context)
}

/** A message that is gone counts only if it reported a failure. */
function judgeFailures(texts: readonly string[], context: ContradictionContext): Contradiction | undefined {
  const found = texts.flatMap((text) => judge([text], context) ?? [])
  return found.find(({ kind }) => kind === 'failure')
}

function judge(texts: readonly string[], { tolerated, given }: ContradictionContext): Contradiction | undefined {
  const known = new Set(tolerated.map(maskLabel))
  let waiting: Contradiction | undefined
  for (const text of texts.flatMap(splitLabel)) {
    if (text.length > MAX_LENGTH || known.has(maskLabel(text))) continue
    const own = removeGiven(text, given)
    if (hasMeaning(own, 'failure')) return { text, kind: 'failure' }
    if (hasMeaning(own, 'waiting')) waiting ??= { text, kind: 'waiting' }
  }
  return waiting
}

/** A label that repeats an input, such as a note about errors, reports nothing. */
function removeGiven(text: string, given: readonly string[]): string {
  let rest = text
  for (const one of given) {
    const at = rest.toLowerCase().indexOf(one.toLowerCase())
    if (at >= 0) rest = `${rest.slice(0, at)} ${rest.slice(at + one.length)}`
  }
  return rest
}

/**
 * Short labels outside lists that are new: on a screen that was there before the last touch everything new, on another
 * screen only what looks like a message.
 */
function listMessages(hierarchy: Hierarchy, history: RunHistory): string[] {
  const visible = collectOnScreenNodes(hierarchy.roots, findWindow(hierarchy))
  const isSameScreen = shareKnownLabels(hierarchy, history) >= SAME_SCREEN_SHARE
  return visible
    .filter((node) => !isNavigation(node) && (isMessageLike(node) || (isSameScreen && !isInList(node))))
    .flatMap(readOwnTexts)
    .filter((text) => isNew(text, history))
}

function shareKnownLabels(hierarchy: Hierarchy, { beforeLast }: RunHistory): number {
  const labels = [...collectMaskedLabels(hierarchy)]
  return labels.length === 0 ? 0 : labels.filter((label) => beforeLast.has(label)).length / labels.length
}

/** Tabs, filters and chips name lists: "Pending" on one is not a status. */
function isNavigation(node: UiNode): boolean {
  const role = inferMatcherRole(node)
  return role === 'tab' || role === 'chip' || isTrue(node, 'selected') || isTrue(node, 'checkable')
}

function isInList(node: UiNode): boolean {
  return findStructure(node).findRow(node) !== undefined
}

/** A snackbar, banner or dialog, by the ids and classes of the node and the boxes around it. */
function isMessageLike(node: UiNode): boolean {
  for (let at: UiNode | null = node, level = 0; at !== null && level <= MAX_LEVELS; at = at.parent, level += 1) {
    if (MESSAGE_NAME.test(attribute(at, 'resource-id')) || MESSAGE_NAME.test(attribute(at, 'class'))) return true
  }
  return false
}

const MESSAGE_NAME =
  /snack_?bar|toast|(?:^|[/_.])(?:banner|alert|alertTitle|error|warning|textinput_error)(?:_|$)|Snackbar/
/** Longer texts are content. */
const MAX_LENGTH = 120
const MAX_LEVELS = 3
const SAME_SCREEN_SHARE = 0.5
