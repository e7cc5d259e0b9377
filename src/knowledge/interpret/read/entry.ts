import { isTrue, subtree, type UiNode } from '../../../screen/tree/hierarchy.ts'
import { readBooleanWord } from '../../../screen/shown-value/boolean-words.ts'
import { findShownValue } from '../../../screen/shown-value/shown-value.ts'
import { listAccountMarks } from '../../../screen/account-marks.ts'
import { type Cell, listCells } from '../../../screen/structure/cells.ts'
import { isAppRow } from './app-rows.ts'
import { type GoalWords, isInGoal } from './goal.ts'
import { isListOfGoal, proposeEntryNames } from './entry-names.ts'
import { readKindFromId } from './id-names.ts'
import type { NameSource } from './input-names.ts'
import type { InputList, LearnedInput } from './inputs.ts'
import type { Intent } from './intent.ts'
import { formatSubject } from './name-list.ts'
import { readText, resourceId } from './node-text.ts'
import { findLoneRow, findPeerGroups, findShownCell, isSearchResult, listTyped } from './lone-rows.ts'
import { isBoxList, isDropDown } from './controls.ts'
import { isMoved } from './row-order.ts'
import {
  classifyRow,
  type Entry,
  findIdentity,
  findRowAround,
  findRowByText,
  isDataRow,
  listRows,
  type Row,
} from './rows.ts'
import { isInside, isSameKind, isSameView, isTextField, readTitle, type Screen } from './screen.ts'
import { isStructuralText } from './structural-text.ts'

/** What a reviewer or a second trace decided about choices, as event ids. */
export interface Rulings {
  /** The list entry is the same in each run. */
  readonly fixed: ReadonlySet<string>
  /** The list entry is an input. */
  readonly varied: ReadonlySet<string>
  /** The traces set the switch to different states. */
  readonly undecided: ReadonlySet<string>
}

export interface EntryContext extends NameSource {
  readonly inputs: InputList
  readonly rulings: Rulings
}

/** What names the row of data that an intent acts on. */
interface EntryKey {
  readonly row: Row
  readonly cell: Cell
  /** The text that was typed before and that the cell shows. */
  readonly typed?: string | undefined
}

/** The list entry an intent acts on, unless the entry belongs to a menu of the app. Adds an input for it. */
export function findEntry(intent: Intent, context: EntryContext): Entry | undefined {
  const key = findEntryKey(intent, context)
  if (key === undefined || intent.before === undefined) return undefined
  const { row, cell } = key
  const { inputs } = context
  const known = inputs.findByExample(key.typed ?? cell.text)
  if (known !== undefined) inputs.addSources(known.name, intent.event_ids)
  const input = known ?? addEntryInput(key, intent.before, intent, context)
  return { row, cell, input: input.name }
}

function addEntryInput(
  { row, cell }: EntryKey,
  screen: Screen,
  { event_ids }: Intent,
  context: EntryContext,
): LearnedInput {
  const { inputs } = context
  const names = proposeEntryNames(row, cell.node, screen, context)
  const chosen = inputs.chooseName(names, cell.text, describeList(row, screen))
  return inputs.add({
    proposed_name: chosen.name,
    type: 'string',
    summary: `Which ${formatSubject(chosen)}, by its name in the list`,
    example: cell.text,
    source_event_ids: event_ids,
  })
}

const describeList = ({ group }: Row, { package: app, activity }: Screen): string =>
  [app, activity, group.holder.path, resourceId(group.holder)].join(' ')

/** What names the entry an intent acts on. Undefined if its target is a part of the app. */
export function findEntryKey(intent: Intent, context: EntryContext): EntryKey | undefined {
  const { node, before } = intent
  if (node === undefined || before === undefined || isTextField(node)) return undefined
  if (!['press', 'toggle', 'adjust', 'swipe', 'move'].includes(intent.kind)) return undefined
  if (intent.event_ids.some((id) => context.rulings.fixed.has(id))) return undefined
  const { row, isLone } = findTouchedRow(intent, context)
  if (row === undefined) return undefined
  const shown = findTypedKey(row, context)
  const cell = shown?.cell ?? findIdentity(row, findPeerGroups(row.node, before, context.earlier))
  if (cell === undefined) return undefined
  // A number in its own column is a value, not the name of an entry.
  const value = intent.adjustment?.value
  if (value !== undefined && (!isInside(value, row.node) || value === cell.node)) return undefined
  if (listAccountMarks([cell.node]).length > 0 || hasGreeting(cell.text)) return undefined
  const isResult = isLone || shown !== undefined || isSearchResult(cell.text, before, context.earlier)
  if (!isResult && !isDataEntry(intent, row, cell.text, context)) return undefined
  return { row, cell, typed: shown?.text }
}

/** The row around the target of an intent: one of several, or the only entry of a list. */
function findTouchedRow(intent: Intent, { earlier }: EntryContext): { readonly row?: Row; readonly isLone: boolean } {
  const own = intent.node && findRowAround(intent.node)
  if (own !== undefined && isDataRow(own)) return { row: own, isLone: false }
  const lone = findLoneRow(intent, earlier)
  const row = lone ?? own
  return { ...(row !== undefined && { row }), isLone: lone !== undefined }
}

/** The cell of a row that shows a text which was typed before, if no other row shows it: the row is a result of it. */
function findTypedKey(row: Row, { earlier, inputs }: EntryContext): { cell: Cell; text: string } | undefined {
  if (classifyRow(row) === 'navigation') return undefined
  for (const text of listTyped(earlier)) {
    const cell = inputs.findByExample(text) && findShownCell(row.node, text)
    const others = row.group.members.filter((member) => member !== row.node)
    if (cell !== undefined && others.every((member) => findShownCell(member, text) === undefined)) return { cell, text }
  }
  return undefined
}

const hasGreeting = (text: string): boolean => /^(?:hi|hello|hey|welcome|hallo|hola|bonjour|ciao)[ ,!]/iu.test(text)

/** The screen that an intent opened, if it opened one. */
export function findOpenedScreen({ before, after }: Intent): Screen | undefined {
  if (before === undefined || after === undefined || isSameView(before, after)) return undefined
  return after
}

/** Whether an entry is data and not part of a menu of the app. */
function isDataEntry(intent: Intent, row: Row, name: string, context: EntryContext): boolean {
  const { rulings, inputs, goal } = context
  if (intent.event_ids.some((id) => rulings.varied.has(id))) return true
  if (inputs.findByExample(name) !== undefined) return true
  if (isSortedAnew(intent, row, name)) return true
  // Only entries are swiped away or moved.
  if (intent.kind === 'swipe' || intent.kind === 'move') return true
  const kind = classifyRow(row)
  if (kind === 'navigation' || isDropDown(intent, row, name, context.later)) return false
  if (intent.kind === 'toggle' && isBoxList(row) && isListToPickFrom(intent, row)) return true
  if (isNamedElsewhere(name, intent, context)) return true
  if (isMenuOfIcon(intent, row, context)) return false
  // Rows that all have the id of one kind of thing, in a window that offers nothing else.
  if (intent.kind === 'press' && intent.before?.is_dialog === true && isListOfThings(row)) return true
  // "Episode 3" is one of several episodes.
  const isMeant = isInGoal(name, goal) && (intent.kind === 'press' || intent.kind === 'toggle')
  // "Label a place as Home, Work or something else" names some of the entries that can be chosen.
  if (isMeant && kind === 'data' && countInGoal(row, goal) > 1) return true
  if (isMeant && !saysWhatItIs(row) && !/\p{N}/u.test(name)) return false
  if (isOfEachRow(intent, row)) return true
  if (isFormRow(row) || (isButtonPair(row) && !reappears(intent, name))) return false
  if (isPreference(row)) {
    if (intent.kind !== 'press') return false
    // A page or window of its own sets the value that the entry shows afterwards.
    if (findOpenedScreen(intent) === undefined) return changesLater(row, name, context.later)
    return reappears(intent, name) || takesStatus(row, name, context.later)
  }
  if (kind === 'data') return !isMenuEntry(intent, row, name, context) && !isPartOfApp(intent, row, context)
  if (kind === 'choice' && intent.kind === 'toggle') return intent.before?.is_dialog === true
  return kind === 'choice' && reappears(intent, name)
}

const countInGoal = ({ group }: Row, goal: GoalWords): number =>
  group.members.filter((node) => isInGoal(findIdentity({ node, group })?.text ?? '', goal)).length

/** Whether the other rows of a list have the same control, with the same label: which one was meant, its row tells. */
function isOfEachRow({ kind, node }: Intent, { node: row, group }: Row): boolean {
  if (kind !== 'press' || node === undefined || node === row || group.direction !== 'down') return false
  const label = readInnerText(node)
  const others = group.members.filter((member) => member !== row)
  const isSame = (one: UiNode) => isTrue(one, 'clickable') && readInnerText(one) === label
  const alike = others.filter((member) => [...subtree(member)].some((one) => one !== member && isSame(one)))
  return label !== '' && alike.length >= MIN_ALIKE && alike.length * 2 > others.length
}

const MIN_ALIKE = 2

/** The first text of a control or in it. */
function readInnerText(control: UiNode): string {
  for (const one of subtree(control)) if (readText(one) !== '') return readText(one)
  return ''
}

/** Whether the touch moved the row to another place of its list: only data has an order that changes. */
function isSortedAnew({ before, after }: Intent, row: Row, name: string): boolean {
  if (before === undefined || after === undefined || !isSameView(before, after)) return false
  const now = findRowByText(name, after)
  return now !== undefined && isMoved(now, row, name)
}

/** Whether check boxes are in a window, or in a list that can be searched: they pick entries. */
function isListToPickFrom({ before }: Intent, { group }: Row): boolean {
  if (before === undefined || before.is_dialog) return before?.is_dialog === true
  const list = group.scroller ?? group.holder
  if (group.members.length < MIN_PICKED_FROM) return false
  return before.nodes.some((node) => isTextField(node) && !isInside(node, list))
}

const MIN_PICKED_FROM = 4

/** Whether a row is a part of the app, unless ids or the goal speak of the things in the list that it is in. */
function isPartOfApp({ before, kind }: Intent, row: Row, { goal }: EntryContext): boolean {
  if (before === undefined || (kind !== 'press' && kind !== 'toggle')) return false
  if (saysWhatItIs(row)) return false
  return isAppRow(row, before, goal) && !(row.group.members.length > 1 && isListOfGoal(row, before, goal))
}

/**
 * Whether a row is in a menu: a window of one-line rows without any other text, which an icon or a long touch opened. A
 * window in which something is chosen says what, or was opened by a control that shows the chosen thing.
 */
function isMenuOfIcon({ before, kind }: Intent, { group }: Row, { earlier }: EntryContext): boolean {
  const opener = earlier.at(-1)
  if (before?.is_dialog !== true || kind !== 'press' || opener?.kind !== 'press' || opener.node === undefined)
    return false
  if (opener.gesture === 'tap' && showsText(opener.node)) return false
  const { members } = group
  if (members.length > MAX_MENU || members.some((member) => listCells(member).length !== 1)) return false
  return before.nodes.every((node) => readText(node) === '' || members.some((member) => isInside(node, member)))
}

function showsText(node: UiNode): boolean {
  for (const one of subtree(node)) if ((one.attributes['text'] ?? '').trim() !== '') return true
  return false
}

/** Whether another page had a row of data with this name before: what is chosen here is one of these entries. */
function isNamedElsewhere(name: string, { before }: Intent, { earlier }: EntryContext): boolean {
  const screens = new Set(earlier.map((one) => one.before))
  for (const screen of screens) {
    if (screen === undefined || before === undefined || isSameKind(screen, before)) continue
    for (const row of listRows(screen)) {
      if (listCells(row.node).length > 1 && isDataRow(row) && findIdentity(row)?.text === name) return true
    }
  }
  return false
}

/** An entry of a settings page of the framework: all its texts have framework ids. */
function isPreference({ node }: Row): boolean {
  const ids = listCells(node).map((cell) => resourceId(cell.node))
  return ids.length > 0 && ids.every((id) => PREFERENCE_IDS.test(id))
}

const PREFERENCE_IDS = /^android:id\/(?:title|summary|icon|switch_widget|checkbox)$/

/** Two or three leaves side by side that do not scroll are buttons. */
function isButtonPair({ node, group }: Row): boolean {
  if (group.direction !== 'across' || group.members.length > 3 || group.scroller === group.holder) return false
  return node.children.length === 0 || listCells(node).length <= 1
}

/** A lone row between text fields: a label with its value. */
function isFormRow({ node, group }: Row): boolean {
  if (group.members.length > 1) return false
  return group.holder.children.some((one) => one !== node && [...subtree(one)].some(isTextField))
}

/**
 * A row of a menu has one label of the app and opens a page of that name, on which the next target is no part of
 * what the row names.
 */
function isMenuEntry(intent: Intent, row: Row, name: string, { later }: EntryContext): boolean {
  if (intent.kind !== 'press' || !isStructuralText(name) || listCells(row.node).length > 1) return false
  const opened = findOpenedScreen(intent)
  if (opened === undefined || opened.is_dialog) return false
  if (saysWhatItIs(row) || reappears(intent, name) || changesLater(row, name, later)) return false
  return readTitle(opened).toLowerCase() === name.toLowerCase() && row.group.members.length <= MAX_MENU
}

const MAX_MENU = 9

/** All rows have one id that names a thing: `person_row`. Entries of a menu have none, or each its own. */
function saysWhatItIs({ node, group }: Row): boolean {
  const id = resourceId(node)
  if (group.members.length < 2 || group.members.some((member) => resourceId(member) !== id)) return false
  const kind = readKindFromId(node)
  return kind !== '' && !/\b(?:menu|nav|navigation|settings?|preference|option|section|page|link)\b/.test(kind)
}

/** The rows of this id, without the buttons below them. */
function isListOfThings({ node, group }: Row): boolean {
  const members = group.members.filter((member) => resourceId(member) === resourceId(node))
  return members.length >= MIN_THINGS && saysWhatItIs({ node, group: { ...group, members } })
}

const MIN_THINGS = 3

/** Whether the opened screen shows a text outside its title. */
function reappears(intent: Intent, text: string): boolean {
  const opened = findOpenedScreen(intent)
  if (opened === undefined) return false
  // A bar that all pages have shows the same as before.
  const kept = new Map(intent.before?.nodes.map((node) => [node.attributes['bounds'], readText(node)]))
  return opened.nodes.some((node) => {
    if (kept.get(node.attributes['bounds']) === text) return false
    if (node === opened.title && (!opened.is_dialog || readText(node) === text)) return false
    return opened.is_dialog ? findShownValue(readText(node), text) !== undefined : readText(node) === text
  })
}

/** Whether a later screen of the same view shows the row with other texts, or no longer shows it. */
function changesLater(row: Row, name: string, later: readonly Intent[]): boolean {
  const before = later[0]?.before
  if (before === undefined) return false
  const old = describeRow(row)
  return later.some(({ after }) => {
    if (after === undefined || !isSameView(before, after)) return false
    const now = findRowByText(name, after)
    return now !== undefined && describeRow(now) !== old
  })
}

/**
 * Whether the row shows later what another row of its list showed before: things have a status, settings have values.
 * On and off are values that many settings of a page share.
 */
function takesStatus(row: Row, name: string, later: readonly Intent[]): boolean {
  const before = later[0]?.before
  if (before === undefined) return false
  const own = new Set(listCells(row.node).map(({ text }) => text))
  const others = row.group.holder.children.filter((child) => child !== row.node)
  const statuses = new Set(
    others
      .flatMap((member) => listCells(member).map(({ text }) => text))
      .filter((text) => readBooleanWord(text.trim().toLowerCase()) === undefined),
  )
  return later.some(({ after }) => {
    const now = after !== undefined && isSameView(before, after) ? findRowByText(name, after) : undefined
    return now !== undefined && listCells(now.node).some(({ text }) => !own.has(text) && statuses.has(text))
  })
}

const describeRow = ({ node }: Row): string =>
  [node.attributes['selected'], ...listCells(node).map(({ text }) => text)].join('\n')
