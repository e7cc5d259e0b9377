import { readLabelDate } from '../../../screen/calendar/calendar-date.ts'
import { attribute, isTrue, subtree, type UiNode } from '../../../screen/tree/hierarchy.ts'
import { readLabels } from '../../../screen/label-match.ts'
import { splitLabel } from '../../../screen/structure/label-parts.ts'
import { isMeasure } from '../../../screen/structure/mask-text.ts'
import { findLabelBeside } from '../../../screen/structure/label-beside.ts'
import { readIdWords, readName } from '../../../screen/structure/node-name.ts'
import { isStateWord } from '../../../screen/structure/state-words.ts'
import { type GoalWords, listWords, toStem } from './goal.ts'
import type { Intent } from './intent.ts'
import { formatId, isFrameworkId, readOwnText, resourceId, toSingular, toSlug } from './node-text.ts'
import { findRowAround, isDataRow, type Row } from './rows.ts'
import { listAncestors, readTitle, type Screen } from './screen.ts'
import { isStructuralText } from './structural-text.ts'

/** Names for an input, best first, from texts and ids of the app. They may contain data; `InputList` checks that. */
export type Names = readonly string[]

/** Names for a list entry: a thing of the goal that the screen speaks of, ids, the title, the next thing of the goal. */
export function proposeEntryNames(row: Row, cell: UiNode, screen: Screen, goal: GoalWords): Names {
  const ids = [row.node, cell, row.group.holder].map((node) => shortenId(readOwnId(node)))
  const captions = [findHeader(row, screen), readTitle(screen), ...listSelectedLabels(screen)]
    .map(readName)
    .filter(isCaption)
  const spoken = [...ids, ...captions].flatMap(listWords).map(toStem)
  const named = goal.nouns.filter((noun) => spoken.includes(noun))
  // "Your cart" is a page about one cart: its rows are something else.
  const page = listWords(readTitle(screen)).at(-1) ?? ''
  const isPage = (name: string) => name !== '' && name === page
  const plural = captions.filter((text) => listWords(text).length <= 2 && /s$/iu.test(text.trim()))
  const names = [...named, ...ids, ...plural, ...goal.nouns].map(toSingularSlug)
  return listNames([...names.filter((name) => !isPage(name)), ...names.filter(isPage)], 'item')
}

/** Names for a text field: its label, its hint, its id. Its content is data and not used. */
export function proposeFieldNames({ node, before, after }: Intent, goal: GoalWords): Names {
  if (node === undefined) return ['text']
  const hint = readName(attribute(node, 'hint')) || readName(attribute(node, 'content-desc'))
  const label = before === undefined ? '' : findLabel(node, before)
  const floating = after === undefined ? '' : findLabel(node, after)
  const id = readOwnId(node)
  const toCaptions = (texts: readonly string[]) =>
    texts.map((text) => readRequest(readName(isExample(text) ? '' : text))).filter(isFieldCaption)
  const captions = toCaptions([hint, label, floating])
  const short = captions.filter((text) => listWords(text).length <= 4)
  // The text of a field may be its hint, or its old value.
  const shown = toCaptions([readHint(node)])
  const ids = [shortenId(id), VAGUE_FIELD.test(id) ? '' : id]
  return listNames([...short, ...ids, ...captions, ...shown, ...goal.nouns].map(toFieldSlug), 'text')
}

const VAGUE_FIELD = /^(?:edit(?: ?text)?|text|input|field|value|content|label|items?|entry)?$/

/** An empty field shows its hint as its text. */
function readHint(node: UiNode): string {
  const text = readName(attribute(node, 'text'))
  return isStructuralText(text) ? text : ''
}

const isExample = (hint: string): boolean =>
  /^(?:e\.? ?g\.?|for example|z\. ?b\.|p\. ?ex\.|ej\.|example)\b/iu.test(hint)

/** "Enter your name" asks for a name. */
const dropRequest = (text: string): string =>
  text.replace(
    /^(?:please )?(?:enter|type|add|write|search(?: for)?|choose|select|pick|set|give|what(?: is|'s)|how (?:many|much)|which|where|on which)\s+(?:in\s+)?(?:a|an|the|your|some)?\s*/iu,
    '',
  )

/** "Search contacts" asks for a contact. */
function readRequest(text: string): string {
  const rest = dropRequest(text)
  const words = rest.split(' ')
  const last = words.at(-1) ?? ''
  return /^search/iu.test(text) ? [...words.slice(0, -1), toSingular(last)].join(' ') : rest
}

/** Names for a number: the words of its buttons, its label, ids. Pass no screen for a number in a list entry. */
export function proposeValueNames(
  value: UiNode,
  parts: { readonly slider?: UiNode | undefined; readonly buttons: readonly (UiNode | undefined)[] },
  screen: Screen | undefined,
  goal: GoalWords,
): Names {
  const { slider, buttons } = parts
  const worded = buttons.flatMap((button) => (button === undefined ? [] : readLabels(button))).map(dropStepWords)
  const candidates = [
    ...worded.filter((text) => text !== ''),
    slider === undefined ? '' : readOwnText(slider),
    screen === undefined ? '' : findLabel(slider ?? value, screen),
    slider === undefined ? '' : shortenId(readOwnId(slider)),
    shortenId(readOwnId(value)),
    ...(screen === undefined ? [] : goal.nouns.filter((noun) => screenSpeaksOf(noun, screen))),
  ]
  return listNames(candidates.filter(isCaption).map(toFieldSlug), 'value')
}

const STEP_WORDS =
  /\b(?:increase|decrease|increment|decrement|increas\w+|decreas\w+|next|previous|prev|plus|minus|add|remove|more|less|up|down|raise|lower|higher|one|by|step|increaser?|mehr|weniger|erhöhen|verringern|nächste[rs]?|vorherige[rs]?)\b/giu

function dropStepWords(label: string): string {
  const rest = label
    .replaceAll(STEP_WORDS, ' ')
    .replaceAll(/[^\p{L} ]+/gu, ' ')
    .replaceAll(/\s+/gu, ' ')
    .trim()
  return rest === label.trim() ? '' : rest
}

export function proposeSwitchNames(control: UiNode, touched: UiNode, screen: Screen): Names {
  const candidates = [
    readOwnText(control),
    readOwnText(touched),
    findLabel(control, screen),
    findLabel(touched, screen),
    shortenId(readOwnId(control)),
    shortenId(readOwnId(touched)),
  ]
  return listNames(candidates.map(readName).filter(isCaption).map(toFieldSlug), 'enabled')
}

/** Names for a checkbox in a list entry. */
export function proposeBoxNames(box: UiNode): Names {
  return listNames([toFieldSlug(shortenId(readOwnId(box)))], 'checked')
}

/** Names for a date: the words of the control that opened the calendar, its title, a day that the goal speaks of. */
export function proposeDateNames(opener: UiNode | undefined, screen: Screen, goal: GoalWords): Names {
  const texts = opener === undefined ? [] : [...subtree(opener)].flatMap(readLabels).flatMap(splitLabel)
  const candidates = [
    ...texts,
    opener === undefined ? '' : shortenId(readOwnId(opener)),
    screen.is_dialog ? readTitle(screen) : '',
    ...goal.nouns.filter((noun) => /date|day|deadline/iu.test(noun)),
  ]
  const captions = candidates.map((text) => dropRequest(readName(text))).filter(isCaption)
  return listNames(captions.filter((text) => readLabelDate(text) === undefined).map(toFieldSlug), 'date')
}

/** Names for one of several options: the label of the group, the question of the dialog, ids. */
export function proposeOptionNames(members: readonly UiNode[], screen: Screen, goal: GoalWords): Names {
  const [first] = members
  if (first === undefined) return ['option']
  const holder = first.parent
  const title = readName(readTitle(screen))
  const candidates = [
    findLabel(first, screen, new Set(members)),
    screen.is_dialog ? title : '',
    holder === null ? '' : shortenId(readOwnId(holder)),
    ...goal.nouns.filter((noun) => screenSpeaksOf(noun, screen)).toReversed(),
    listWords(title).length <= 2 ? title : '',
  ]
  const captions = candidates.map((text) => dropRequest(text)).filter(isCaption)
  return listNames(captions.map(toSingularSlug), 'option')
}

function screenSpeaksOf(noun: string, screen: Screen): boolean {
  return screen.nodes.some((node) => {
    const row = findRowAround(node)
    return (row === undefined || !isDataRow(row)) && listWords(readOwnText(node)).map(toStem).includes(noun)
  })
}

/** The label beside or above a node that belongs to the app. Labels in a list entry are data. */
function findLabel(node: UiNode, screen: Screen, skipped: ReadonlySet<UiNode> = new Set()): string {
  const visible = screen.nodes.filter((one) => !skipped.has(one) && !listAncestors(one).some((up) => skipped.has(up)))
  const around = skipped.size === 0 ? visible : [...visible, node]
  const label = readName(findLabelBeside(node, around))
  // The title names the page, not what is on it.
  return isCaption(label) && label !== readName(readTitle(screen)) ? label : ''
}

/** A caption is short, has letters, and is neither a value nor a greeting. */
function isCaption(text: string): boolean {
  if (!/\p{L}{2}/u.test(text) || listWords(text).length > 6) return false
  return isStructuralText(text) && !isMeasure(text) && !isStateWord(text) && !GREETING.test(text)
}

const GREETING =
  /^(?:hi|hello|hey|welcome|good (?:morning|afternoon|evening)|hallo|guten|bonjour|salut|hola|ciao|signed in|logged in)\b/iu

/** "What is to be done?" asks without naming anything. */
const isFieldCaption = (text: string): boolean =>
  isCaption(text) && !/^(?:to|for|be|on|in|with|you|we|do)\b/iu.test(text)

/** The nearest label above a row that is not a row itself. */
function findHeader({ node, group }: Row, screen: Screen): string {
  const top = node.bounds?.top ?? Math.min(...group.members.map(({ bounds }) => bounds?.top ?? Number.MAX_SAFE_INTEGER))
  const above = screen.nodes.filter(
    (one) => one.bounds !== null && one.bounds.bottom <= top && !isTrue(one, 'clickable') && readOwnText(one) !== '',
  )
  const header = above.findLast((one) => isAlone(one) && isCaption(readName(readOwnText(one))))
  return header === undefined || node === header ? '' : readOwnText(header)
}

/** A heading between rows is a row of its own. */
function isAlone(node: UiNode): boolean {
  const row = findRowAround(node)
  return row === undefined || (row.node === node && row.group.members.length === 1)
}

/** The labels of selected tabs. */
function listSelectedLabels(screen: Screen): string[] {
  return screen.nodes.filter((node) => isTrue(node, 'selected')).map((node) => readOwnText(node))
}

const listNames = (names: readonly string[], fallback: string): Names => [
  ...names.filter((name) => name !== ''),
  fallback,
]

function readOwnId(node: UiNode): string {
  return isFrameworkId(resourceId(node)) ? '' : readIdWords(node) && formatId(node)
}

const GENERIC =
  /^(?:recycler(?: ?view)?|list(?: ?view)?|content|items?|container|scroll ?view|row|card|cell|entry|name|title|text|label|value|edit(?: text)?|input|field)?$/

/** What an id says a row is: `person_row` is a person. Empty if it says nothing. */
export const readKindFromId = (row: UiNode): string => shortenId(readOwnId(row))

function shortenId(id: string): string {
  const short = id.replace(/ (?:name|title|label|text|row|card|cell|list|item|value|slider|view)$/, '')
  return GENERIC.test(short) ? '' : short
}

const toFieldSlug = (text: string): string => toSlug(text.replace(/ (?:field|input|edit text|switch|box)$/i, ''))

function toSingularSlug(text: string): string {
  const parts = toSlug(text).split('_').slice(0, 3)
  return parts.map((part, at) => (at === parts.length - 1 ? toSingular(part) : part)).join('_')
}
