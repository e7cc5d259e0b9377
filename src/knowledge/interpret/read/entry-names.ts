import { isTrue, subtree, type UiNode } from '../../../screen/tree/hierarchy.ts'
import { listCells } from '../../../screen/structure/cells.ts'
import { isMeasure, isPhoneNumber } from '../../../screen/structure/mask-text.ts'
import { readName } from '../../../screen/structure/node-name.ts'
import { ADDING, isCaption, isPrompt, isSearch, readHint, readRequest } from './captions.ts'
import { type GoalWords, listNouns, listWords, toStem } from './goal.ts'
import { readOwnId, shortenId } from './id-names.ts'
import type { NameSource } from './input-names.ts'
import type { Intent } from './intent.ts'
import { listNames, type Name, type Names, toSingularName } from './name-list.ts'
import { readOwnText } from './node-text.ts'
import { findRowAround, isInDataRow, type Row } from './rows.ts'
import { isTextField, listAncestors, readTitle, type Screen } from './screen.ts'
import { isDay, nameValueKind } from './value-kind.ts'

/** Names for a list entry: a thing of the goal that the page speaks of, what the page says its rows are, the goal. */
export function proposeEntryNames(row: Row, cell: UiNode, screen: Screen, source: NameSource): Names {
  const { goal, later } = source
  const { ids, plural, spoken, heard } = listPageWords(row, cell, screen, source)
  const elsewhere = listHeardLater(source)
  const all = listEntryNouns(goal, later).filter((noun) => heard.has(noun) || !elsewhere.has(noun))
  // "Your cart" is a page about one cart: its rows are something else. "Choose a contact" asks for one of them.
  const title = readPageTitle(screen)
  const page = isPrompt(title) ? '' : (listWords(title).at(-1) ?? '')
  const isPage = ({ name }: Name) => name === page
  // The last of several entries is what the goal speaks of, unless the goal is to set a value.
  const isLast = !later.slice(1).some(({ kind, node }) => kind === 'press' && node !== undefined && isInDataRow(node))
  const first = !isLast ? [] : setsValue(later) ? listNouns(goal, 'owner') : all
  // A time or a phone number that tells rows apart is called so.
  const text = readOwnText(cell)
  const kind = isMeasure(text) || isPhoneNumber(text) ? (nameValueKind(text) ?? '') : ''
  // A day is called a day, whatever else the goal speaks of.
  const day = isDay(text) ? 'day' : ''
  const nouns = [day, ...all.filter((noun) => heard.has(noun)), kind, ...first, ...ids, ...plural, ...spoken, ...all]
  const names = listNames(nouns, toSingularName)
  return [...names.filter((name) => !isPage(name)), ...names.filter(isPage), { name: 'item' }]
}

const readPageTitle = (screen: Screen): string =>
  screen.title !== undefined && isTouched(screen.title) ? '' : readTitle(screen)

interface PageWords {
  readonly ids: readonly string[]
  /** Short captions in the plural. */
  readonly plural: readonly string[]
  /** What controls say that the rows are. */
  readonly spoken: readonly string[]
  /** All their words and those of prompts, in the singular. */
  readonly heard: ReadonlySet<string>
}

/** The words by which a page says what its rows are. */
function listPageWords(row: Row, cell: UiNode, screen: Screen, { isOfApp }: NameSource): PageWords {
  const ids = [row.node, cell, row.group.holder].map((node) => shortenId(readOwnId(node)))
  const captions = [findHeader(row, screen), readPageTitle(screen), ...listSelectedLabels(screen)]
    .map(readName)
    .filter((text) => isCaption(text) && isOfApp(text))
  const plural = captions.filter((text) => listWords(text).length <= 2 && /s$/iu.test(text.trim()))
  const asked = captions.filter(isPrompt).map(readRequest)
  const spoken = listPageNouns(row, screen).filter(isOfApp)
  const heard = new Set([...ids, ...plural, ...asked, ...spoken].flatMap(listWords).map(toStem))
  return { ids, plural, spoken, heard }
}

/** The words by which the pages of later entries say what those are: "Choose a contact". */
function listHeardLater(source: NameSource): ReadonlySet<string> {
  const words = source.later.slice(1).flatMap(({ kind, node, before }) => {
    const row = node === undefined ? undefined : findRowAround(node)
    if (kind !== 'press' || before === undefined || row === undefined) return []
    return isInDataRow(row.node) ? [...listPageWords(row, row.node, before, source).heard] : []
  })
  return new Set(words)
}

/** Whether ids, the header or the title of a list, or the chosen tab, name things of the goal: "Canned replies". */
export function isListOfGoal(row: Row, screen: Screen, { things }: GoalWords): boolean {
  const ids = [row.node, row.group.holder].map((node) => shortenId(readOwnId(node)))
  const captions = [findHeader(row, screen), readTitle(screen), ...listSelectedLabels(screen)].map(readName)
  const plural = captions.map((text) => listWords(text).at(-1) ?? '').filter((word) => toStem(word) !== word)
  const spoken = new Set([...ids.flatMap(listWords), ...plural].map(toStem))
  return things.some(({ noun }) => spoken.has(noun))
}

const setsValue = (later: readonly Intent[]): boolean =>
  later.some(({ kind }) => ['type', 'adjust', 'toggle'].includes(kind))

/** The nouns of the goal that an entry may be: first what has or holds something, then what is done something to. */
function listEntryNouns(goal: GoalWords, later: readonly Intent[]): string[] {
  // "Add an item to a list": the item is typed, so the entry is the list.
  const isTyped = later.slice(1).some(({ kind }) => kind === 'type')
  return isTyped || goal.adds
    ? listNouns(goal, 'owner', 'target', 'object', 'attribute')
    : listNouns(goal, 'owner', 'object', 'target', 'attribute')
}

/** What the controls of a page say its rows are: "Search tickets", "New ticket", "Ticket options". */
function listPageNouns(row: Row, { nodes }: Screen): string[] {
  const inRows = new Set(row.group.members.flatMap((member) => [...subtree(member)]))
  return nodes.flatMap((node) => {
    const label = isTextField(node) ? readHint(node) : readName(readOwnText(node))
    if (inRows.has(node)) return OPTIONS_OF.exec(label)?.[1] ?? []
    const found = isSearch(label) ? readRequest(label) : ADDING.exec(label)?.[1]
    return found !== undefined && listWords(found).length <= 2 && isCaption(found) ? [found] : []
  })
}

const OPTIONS_OF = /^(?!more|other|all|show|open|view|sort|filter)(\p{L}+) (?:options|menu|actions)$/iu

/** The nearest label above a row that is not a row itself. */
function findHeader({ node, group }: Row, screen: Screen): string {
  const top = node.bounds?.top ?? Math.min(...group.members.map(({ bounds }) => bounds?.top ?? Number.MAX_SAFE_INTEGER))
  const above = screen.nodes.filter(
    (one) => one.bounds !== null && one.bounds.bottom <= top && !isTouched(one) && readOwnText(one) !== '',
  )
  const header = above.findLast((one) => isAlone(one) && isCaption(readName(readOwnText(one))))
  return header === undefined || node === header ? '' : readOwnText(header)
}

const isTouched = (node: UiNode): boolean =>
  isTrue(node, 'clickable') || listAncestors(node).some((one) => isTrue(one, 'clickable'))

/** A heading between rows is a row of its own. */
function isAlone(node: UiNode): boolean {
  const row = findRowAround(node)
  return row === undefined || (row.node === node && row.group.members.length === 1)
}

/** The labels of selected tabs. */
function listSelectedLabels(screen: Screen): string[] {
  const selected = screen.nodes.filter((node) => isTrue(node, 'selected'))
  return selected.flatMap((node) => readName(readOwnText(node)) || (listCells(node)[0]?.text ?? []))
}
