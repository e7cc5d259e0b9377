import { readLabelDate } from '../../../screen/calendar/calendar-date.ts'
import { attribute, subtree, type UiNode } from '../../../screen/tree/hierarchy.ts'
import { readLabels } from '../../../screen/label-match.ts'
import { findLabelBeside, findLabelBefore, findLabelUnder } from '../../../screen/structure/label-beside.ts'
import { listCells } from '../../../screen/structure/cells.ts'
import { splitLabel } from '../../../screen/structure/label-parts.ts'
import { readName } from '../../../screen/structure/node-name.ts'
import { ADDING, isCaption, isFieldCaption, isPrompt, isSearch, readHint, readRequest } from './captions.ts'
import type { Choice } from './choice.ts'
import { type GoalWords, isInGoal, listNouns, listWords, toStem } from './goal.ts'
import { readOwnId, shortenId } from './id-names.ts'
import type { InputList } from './inputs.ts'
import type { Intent } from './intent.ts'
import { listNames, type Names, toFieldName, toSingularName } from './name-list.ts'
import { readOwnText, readText } from './node-text.ts'
import { isInDataRow } from './rows.ts'
import { findScroller, isSameKind, listAncestors, readTitle, type Screen } from './screen.ts'
import { nameOptionKind, nameValueKind } from './value-kind.ts'

/** What names may be made of. */
export interface NameSource {
  readonly goal: GoalWords
  /** Whether a text belongs to the app and not to its data. */
  readonly isOfApp: (text: string) => boolean
  /** Whether a text may be the name of a person. */
  readonly isPersonal: (text: string) => boolean
  /** The intent itself and all later ones. */
  readonly later: readonly Intent[]
  readonly earlier: readonly Intent[]
}

/** Names for a text field: what it asks for, its id, the kind of its value, the goal. Its content is data and not used. */
export function proposeFieldNames(intent: Intent, source: NameSource): Names {
  const { node, before, after, typed } = intent
  if (node === undefined) return [{ name: 'text' }]
  const { goal } = source
  const own = [attribute(node, 'hint'), attribute(node, 'content-desc'), ...listInnerTexts(node, typed?.text)]
  const label = before === undefined ? '' : findRequest(node, before)
  const floating = after === undefined ? '' : findRequest(node, after)
  const texts = [...own, label, floating]
  // The text of a field may be its hint, or its old value.
  const shown = toRequests([readHint(node)], source)
  const captions = toRequests(texts, source)
  const plain = toRequests(
    texts.filter((text) => !isPrompt(text)),
    source,
  ).filter(isShort)
  const id = readOwnId(node)
  const ids = [shortenId(id), VAGUE_FIELD.test(id) ? '' : id]
    .map((text) => dropVerb(text))
    .filter((text) => text !== '')
  // Where id and caption agree, the shorter says it.
  const agreed = ids.filter((words) => plain.some((text) => hasAllWords(text, words)))
  const isSearched = [...texts, readHint(node), id].some((text) => isSearch(text.trim()) || /\bsearch\b/u.test(text))
  return listNames(
    [
      before === undefined ? '' : nameClockPart(node, before),
      ...(isSearched ? ['search'] : []),
      ...agreed,
      ...plain,
      ...ids,
      ...shown.filter(isShort),
      ...captions.filter(isShort),
      ...captions,
      ...shown,
      nameValueKind(typed?.text ?? '') ?? '',
      ...(before === undefined ? [] : toRequests([findLabelUnder(node, before.nodes)], source)),
      ...listNouns(goal, 'object', 'attribute', 'target', 'owner'),
      'text',
    ],
    toFieldName,
  )
}

/** Of two numbers with a colon between them, the first is the hour. */
function nameClockPart(node: UiNode, { nodes }: Screen): string {
  const { bounds } = node
  if (bounds === null || !/^\d{0,2}$/.test(attribute(node, 'text') || attribute(node, 'content-desc'))) return ''
  const colons = nodes.filter(
    (one) =>
      readText(one) === ':' && one.bounds !== null && one.bounds.top < bounds.bottom && one.bounds.bottom > bounds.top,
  )
  if (colons.length !== 1) return ''
  return (colons[0]?.bounds?.left ?? 0) >= bounds.right ? 'hour' : 'minute'
}

const isShort = (text: string): boolean => listWords(text).length <= 3 && !/ (?:or|oder|ou|o) /iu.test(text)

function hasAllWords(text: string, words: string): boolean {
  const all = new Set(listWords(text))
  return listWords(words).every((word) => all.has(word))
}

function toRequests(texts: readonly string[], { isOfApp }: NameSource): string[] {
  return texts
    .filter((text) => text !== '' && isOfApp(readName(text)))
    .map(readRequest)
    .filter(isFieldCaption)
}

/** `compose_message` asks for a message. */
const dropVerb = (id: string): string =>
  id.replace(/^(?:compose|edit|enter|add|new|input|et|txt|search)(?: (?=\p{L})|$)/u, '')

/** Compose draws the label of a field inside it. */
function listInnerTexts(field: UiNode, typed: string | undefined): string[] {
  const value = attribute(field, 'text').trim()
  const inside = field.children.length === 0 ? [] : listCells(field).filter(({ node }) => node !== field)
  return inside.map(({ text }) => text).filter((text) => text !== value && text !== typed)
}

const VAGUE_FIELD = /^(?:edit(?: ?text)?|text|input|field|value|content|label|items?|entry)?$/

/** Names for a number: the words both its buttons have, its label, ids, the goal. Pass no screen for a list entry. */
export function proposeValueNames(
  value: UiNode,
  parts: { readonly slider?: UiNode | undefined; readonly buttons: readonly (UiNode | undefined)[] },
  screen: Screen | undefined,
  { goal, isOfApp }: NameSource,
): Names {
  const { slider, buttons } = parts
  const title = screen === undefined ? '' : readName(readTitle(screen))
  const captions = [
    ...readButtonWords(buttons),
    slider === undefined ? '' : readOwnText(slider),
    screen === undefined ? '' : findLabel(slider ?? value, screen),
  ]
  const words = goal.things.filter(({ role }) => role !== 'owner')
  const candidates = [
    screen === undefined ? '' : nameClockPart(value, screen),
    ...captions.filter((text) => isCaption(text) && isOfApp(text)),
    slider === undefined ? '' : shortenId(readOwnId(slider)),
    shortenId(readOwnId(value)),
    isInGoal(title, goal) ? title : '',
    ...(screen === undefined ? [] : words.filter(({ noun }) => screenSpeaksOf(noun, screen)).map(({ word }) => word)),
    nameValueKind(readText(value)) ?? (/^\d+$/.test(readText(value)) ? 'quantity' : ''),
    ...words.map(({ word }) => word),
  ]
  // A number of guests is called guests.
  const toWord = (text: string) => toFieldName(words.find(({ noun }) => noun === text)?.word ?? text)
  return listNames([...candidates, 'value'], toWord)
}

/** "Later hour" and "Earlier hour" set an hour. */
function readButtonWords(buttons: readonly (UiNode | undefined)[]): string[] {
  const labels = buttons.flatMap((button) => (button === undefined ? [] : readLabels(button).slice(0, 1)))
  const [first = '', second] = labels.map((label) => label.trim())
  const others = new Set(listWords(second ?? ''))
  const common = listWords(first).filter((word) => others.has(word) && !STEP_WORD.test(word))
  return [common.join(' '), ...labels.map(dropStepWords)].filter((text) => text !== '')
}

const STEP_WORDS =
  /\b(?:increase|decrease|increment|decrement|increas\w+|decreas\w+|next|previous|prev|plus|minus|add|remove|more|less|fewer|up|down|raise|lower|higher|later|earlier|warmer|colder|cooler|one|by|step|increaser?|mehr|weniger|erhöhen|verringern|nächste[rs]?|vorherige[rs]?|später|früher)\b/giu
const STEP_WORD = /^(?:by|one|step|the|a|an|um|de|the|of)$/

function dropStepWords(label: string): string {
  const rest = label
    .replaceAll(STEP_WORDS, ' ')
    .replaceAll(/[^\p{L} ]+/gu, ' ')
    .replaceAll(/\s+/gu, ' ')
    .trim()
  return rest === label.trim() ? '' : rest
}

export function proposeSwitchNames(control: UiNode, touched: UiNode, screen: Screen, { isOfApp }: NameSource): Names {
  const captions = [readOwnText(control), readOwnText(touched), findLabel(control, screen), findLabel(touched, screen)]
    .map(readName)
    .filter((text) => isCaption(text) && isOfApp(text))
  const ids = [shortenId(readOwnId(control)), shortenId(readOwnId(touched))]
  return listNames([...captions, ...ids, 'enabled'], toFieldName)
}

/** Names for a checkbox in a list entry. */
export function proposeBoxNames(box: UiNode): Names {
  return listNames([shortenId(readOwnId(box)), 'checked'], toFieldName)
}

/** Names for a date: the words of the control that opened the calendar, its title, a day that the goal speaks of. */
export function proposeDateNames(opener: UiNode | undefined, screen: Screen, source: NameSource): Names {
  const texts = opener === undefined ? [] : [...subtree(opener)].flatMap(readLabels).flatMap(splitLabel)
  const id = opener === undefined ? '' : shortenId(readOwnId(opener))
  const title = screen.is_dialog ? readTitle(screen) : ''
  const captions = toRequests([...texts, id, title], source).filter((text) => readLabelDate(text) === undefined)
  const days = source.goal.things.map(({ noun }) => noun).filter((noun) => /date|day|deadline/iu.test(noun))
  return listNames([...captions, ...days, 'date'], toFieldName)
}

/** Names for one of several options: label of the group, what opened them, question of the dialog, kind, id, goal. */
export function proposeOptionNames(
  choice: Choice,
  intent: Intent,
  source: NameSource & { readonly inputs: InputList },
): Names {
  const { members, options } = choice
  const { before: screen } = intent
  const [first] = members
  if (first === undefined || screen === undefined) return [{ name: 'option' }]
  const { goal } = source
  const title = readName(readTitle(screen))
  const nouns = listNouns(goal, 'attribute', ...(goal.sets ? (['object'] as const) : []), 'target')
  const kind = nameOptionKind(options) ?? ''
  const label = findGroupLabel(members, options, screen)
  const question = screen.is_dialog && (isShort(title) || title.endsWith('?')) ? title : ''
  const texts = [label, question, ...findOpener(intent, source, options)]
  const captions = toRequests([...texts.filter((text) => !isPrompt(text)), ...texts.filter(isPrompt)], source)
  return listNames(
    [
      ...(CLEAR_KINDS.has(kind) ? [kind] : []),
      ...captions,
      kind,
      first.parent === null ? '' : shortenId(readOwnId(first.parent)),
      isInGoal(title, goal) && !ADDING.test(title) ? title : '',
      ...nouns.filter((noun) => screenSpeaksOf(noun, screen)),
      ...(choosesEntry(source) ? [] : listNouns(goal, 'attribute', 'object', 'target')),
      'type',
    ],
    toSingularName,
  )
}

/** Whether an entry is chosen later: then the goal speaks of that, and the option only leads to it. */
const choosesEntry = ({ later }: NameSource): boolean =>
  later.slice(1).some(({ kind, node }) => kind === 'press' && node !== undefined && isInDataRow(node))

/** These options say more than the texts around them. */
const CLEAR_KINDS = new Set(['am_pm', 'filter'])

/** The words of the control that opened a menu or a dialog: its id, the label before it, its own labels. */
function findOpener(
  { before: screen, after: closed }: Intent,
  { earlier, inputs }: { readonly earlier: readonly Intent[]; readonly inputs: InputList },
  options: readonly string[],
): string[] {
  if (screen === undefined || closed === undefined) return []
  const opener = earlier.findLast(
    ({ kind, before, after }) =>
      kind === 'press' &&
      before !== undefined &&
      after !== undefined &&
      !isSameKind(before, after) &&
      isSameKind(after, screen),
  )
  const { node, before } = opener ?? {}
  // A choice that stays open is a part of the page.
  if (node === undefined || before === undefined || !isSameKind(before, closed)) return []
  // The texts of an entry that a person chose are data.
  if (opener !== undefined && inputs.isSource(opener.event_ids)) return []
  const own = listCells(node)
    .flatMap(({ text }) => splitLabel(text))
    .filter((text) => !options.includes(text))
  return [shortenId(readOwnId(node)), findRequest(node, before), ...own]
}

/** The label of a group of options: before the first of them. The text over a bare radio button is an option. */
function findGroupLabel(members: readonly UiNode[], options: readonly string[], screen: Screen): string {
  const [first] = members
  const skipped = new Set(members)
  const visible = screen.nodes.filter(
    (one) =>
      !skipped.has(one) && !listAncestors(one).some((up) => skipped.has(up)) && !options.includes(readOwnText(one)),
  )
  if (first === undefined) return ''
  const label = findRequest(first, { ...screen, nodes: [...visible, first] })
  // Options that are swept sideways have their label outside of what scrolls.
  const scroller = findScroller(first)
  const isStrip = scroller !== undefined && measureHeight(scroller) <= measureHeight(first) * MAX_STRIP
  return label === '' && isStrip ? findRequest(scroller, { ...screen, nodes: visible }) : label
}

const measureHeight = ({ bounds }: UiNode): number => (bounds === null ? 0 : bounds.bottom - bounds.top)
const MAX_STRIP = 2

function screenSpeaksOf(noun: string, screen: Screen): boolean {
  return screen.nodes.some((node) => {
    return !isInDataRow(node) && listWords(readOwnText(node)).map(toStem).includes(noun)
  })
}

/** The text before a node that asks for what it holds. The title names the page, not what is on it. */
function findRequest(node: UiNode, screen: Screen): string {
  const label = readName(findLabelBefore(node, screen.nodes))
  return label !== readName(readTitle(screen)) ? label : ''
}

/** The label beside a node that belongs to the app. Labels in a list entry are data. */
function findLabel(node: UiNode, screen: Screen): string {
  const label = readName(findLabelBeside(node, screen.nodes))
  return isCaption(label) && label !== readName(readTitle(screen)) ? label : ''
}
