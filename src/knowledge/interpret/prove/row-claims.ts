import type { RecipeFallback, RecipeSelector } from '@apprentice/contracts/recipes/selector.ts'
import { attribute, isTrue, subtree, type UiNode } from '../../../screen/tree/hierarchy.ts'
import { normalizeLabel, readLabels } from '../../../screen/label-match.ts'
import { describeWay, followWay } from '../../../screen/structure/flat-rows.ts'
import { listCells } from '../../../screen/structure/cells.ts'
import { splitLabel } from '../../../screen/structure/label-parts.ts'
import { escapeReferences, findNodes, formatReference, type Place } from '../read/matching.ts'
import { findOnPage, readLayout } from '../../../screen/page-layout.ts'
import { draftPageAnchor } from '../read/page-anchor.ts'
import { formatName, readText, resourceId } from '../read/node-text.ts'
import {
  type Cell,
  type Entry,
  findIdentity,
  findRowAround,
  findRowByText,
  isDataRow,
  listRows,
  type Row,
} from '../read/rows.ts'
import { isSameKind, isSameView, isTextField, type Screen } from '../read/screen.ts'
import { locateEntry } from '../read/selectors.ts'
import type { Claim } from './claims.ts'
import { type Ending, nameAttribute } from './ending.ts'
import { claimOrder } from './order-claims.ts'
import { listShownInputs, listSimple } from './shown-inputs.ts'

/** Claims about one list entry of the last screen. */
export interface EntryProof {
  readonly claims: readonly Claim[]
  /** The entry that must be visible to check them. */
  readonly entry: Entry
}

/** Finds the entry that covers most inputs: it is new, or shows new values or states. */
export function findEntryProof(ending: Ending): EntryProof | undefined {
  const proofs = findNamedEntries(ending.end, ending).flatMap((entry) => {
    const claims = claimEntry(entry, ending)
    return claims.length === 0 ? [] : [{ entry, claims }]
  })
  const chosen = new Set(ending.intents.flatMap(({ entry }) => entry?.input ?? []))
  // The name of what was added tells its row best, then that of what was chosen.
  const rank = ({ entry, claims }: EntryProof) =>
    claims.some(({ added }) => added === true) ? 2 : chosen.has(entry.input) ? 1 : 0
  return proofs.toSorted(
    (a, b) => countInputs(b) - countInputs(a) || rank(b) - rank(a) || b.claims.length - a.claims.length,
  )[0]
}

function countInputs({ claims }: EntryProof): number {
  return new Set(claims.flatMap(({ inputs }) => inputs)).size
}

/** The rows that a text input names: exactly one row of the screen shows its value in a cell of its own. */
function findNamedEntries(screen: Screen, { inputs, intents }: Ending): Entry[] {
  const rows = listRows(screen)
  // A date is shown in many ways.
  const dates = new Set(intents.flatMap(({ kind, input }) => (kind === 'date' ? [input] : [])))
  return inputs
    .filter(({ name }) => !dates.has(name))
    .filter(({ type, example, choices }) => type === 'string' && example && choices === undefined)
    .flatMap(({ name, example = '' }) => {
      const found = rows.flatMap((row) => {
        const cell = findNamingCell(row, example)
        return cell === undefined ? [] : [{ row, cell, input: name }]
      })
      // Another row may show the name as its value.
      const named = found.length > 1 ? found.filter((one) => findIdentity(one.row)?.text === example) : found
      const [entry] = named
      return entry !== undefined && named.length === 1 ? [entry] : []
    })
}

function findNamingCell(row: Row, example: string): Cell | undefined {
  const wanted = normalizeLabel(example)
  const isSame = (text: string) => normalizeLabel(text) === wanted
  return listCells(row.node).find(({ text }) => isSame(text) || splitLabel(text).some(isSame))
}

function claimEntry(entry: Entry, ending: Ending): Claim[] {
  const known = listEarlierReadings(ending)
  // Under another filter an entry may be shown that has the same name.
  const { before: chosen, entry: chosenEntry } =
    ending.intents.find((intent) => intent.entry?.input === entry.input) ?? {}
  const isListed = (screen: Screen) =>
    known.includes(screen) || (chosenEntry !== undefined && showsSameList(screen, ending.end, chosenEntry))
  const old = chosen !== undefined && isListed(chosen) ? [chosen, ...known] : known
  const before = old.flatMap((screen) => findRowByText(entry.cell.text, screen) ?? []).at(0)
  const nodes = [...subtree(entry.row.node)].filter((node) => ending.end.nodes.includes(node))
  const values = nodes.flatMap((node) => claimValues(node, entry, ending, before))
  const states = before === undefined ? [] : nodes.flatMap((node) => claimState(node, entry, ending, before))
  const shown = [...values, ...dropDetails(states, values, { entry, before, ending })]
  const isTouched = chosen !== undefined && before !== undefined && shown.length === 0
  const others = isTouched ? nodes.flatMap((node) => claimOtherValue(node, entry, ending, before)) : []
  const claims = [...shown, ...others, ...claimOrder(entry, ending)]
  const isNew = before === undefined && (known.length > 0 || isTyped(entry, ending))
  if (!isNew) return claims
  const added = addsEntry(entry, ending)
  return [claimPresence(entry), ...claims].map((claim) => ({ ...claim, added }))
}

/**
 * A text that came into a row together with a chosen thing may belong to that thing: the kind of its number, its price.
 * It is something else for other things. A status had its place in the row before.
 */
function dropDetails(
  states: readonly Claim[],
  values: readonly Claim[],
  { entry, before, ending }: { readonly entry: Entry; readonly before: Row | undefined; readonly ending: Ending },
): readonly Claim[] {
  const given = values.flatMap(({ inputs }) => inputs).filter((name) => name !== entry.input)
  const isChosenThing = ending.intents.some(
    ({ kind, input, entry: other }) =>
      given.includes(other?.input ?? '') || (kind === 'pick' && given.includes(input ?? '')),
  )
  if (!isChosenThing || before === undefined) return states
  return states.filter(({ node }) => node !== undefined && findPartner(node, entry.row, before) !== undefined)
}

/** Whether the workflow adds the entry. One that acts on an entry of the same list gives it another name. */
function addsEntry(entry: Entry, ending: Ending): boolean {
  const actsHere = ending.intents.some(
    ({ entry: other, before }) =>
      other !== undefined && before !== undefined && showsSameList(before, ending.end, other),
  )
  return isTyped(entry, ending) && !actsHere
}

/** The same kind of screen before the work was done. */
function listEarlierReadings({ end, earlier }: Ending): Screen[] {
  return earlier.filter((screen) => isSameKind(screen, end))
}

/** A text that was typed is new in a list that was not seen before. A chosen entry was there already. */
function isTyped({ input }: Entry, { intents }: Ending): boolean {
  return intents.some((intent) => intent.kind === 'type' && intent.input === input)
}

function isChosen({ input }: Entry, { intents }: Ending): boolean {
  return intents.some((intent) => intent.entry?.input === input)
}

/** Claims that the entries which inputs name are in the list. */
export const claimPresences = (ending: Ending): Claim[] => findNamedEntries(ending.end, ending).map(claimPresence)

function claimPresence(entry: Entry): Claim {
  const text = `The given ${formatName(entry.input)} is in the list`
  return { ...locateEntry(entry), check: { kind: 'present' }, inputs: [entry.input], text, node: entry.cell.node }
}

/** Other inputs that the row shows now and did not show before. */
function claimValues(node: UiNode, entry: Entry, ending: Ending, before: Row | undefined): Claim[] {
  const shown = listShownInputs(node, ending).filter((name) => name !== entry.input)
  const simple = listSimple(node, shown, ending.examples)
  const old = before && findPartner(node, entry.row, before)
  if (old !== undefined && readText(old) === readText(node)) return []
  return simple.flatMap((name): Claim[] => {
    if (old !== undefined && listSimple(old, [name], ending.examples).length > 0) {
      return claimPart(node, old, { entry, name, ending })
    }
    const selector = selectInRow(node, entry, { shows: formatReference(name) }, 'VARIABLE')
    const text = `The given ${formatName(entry.input)} shows the given ${formatName(name)}`
    return [{ selector, check: { kind: 'present' }, inputs: [entry.input, name], text, node }]
  })
}

/** A part of a label that shows an input now, although another part showed the same before: "Ring 2" in "Ring 2, Media 2". */
function claimPart(
  node: UiNode,
  old: UiNode,
  { entry, name, ending }: { readonly entry: Entry; readonly name: string; readonly ending: Ending },
): Claim[] {
  const value = ending.examples.get(name) ?? ''
  const known = new Set(listParts(old))
  return listParts(node).flatMap((part): Claim[] => {
    const words = part.split(' ')
    const literal = words.filter((word) => word !== value).join(' ')
    if (known.has(part) || !words.includes(value) || ending.keepText(literal) === '') return []
    const template = words.map((word) => (word === value ? formatReference(name) : escapeReferences(word))).join(' ')
    const selector = selectInRow(node, entry, { part_equals: template }, 'VARIABLE')
    const text = `The given ${formatName(entry.input)} shows ${literal} as given`
    return [{ selector, check: { kind: 'present' }, inputs: [entry.input, name], text, node }]
  })
}

/** A text of the row that is another one now, although nothing tells which: a date that moved on. */
function claimOtherValue(node: UiNode, entry: Entry, ending: Ending, before: Row): Claim[] {
  const old = findPartner(node, entry.row, before)
  const [from, now] = [old === undefined ? '' : readText(old), readText(node)]
  if (from === '' || now === '' || from === now || node === entry.cell.node) return []
  const words = from.split(' ')
  const stays = now.split(' ').filter((word, at) => word === words[at])
  const [label = ''] = stays.map((word) => ending.keepText(word)).filter((word) => word !== '')
  if (label === '' && resourceId(node) === '') return []
  const selector = selectInRow(
    node,
    entry,
    label === '' ? {} : { text_contains: escapeReferences(label) },
    'STRUCTURAL',
  )
  const inputs = [entry.input]
  const text = `The given ${formatName(entry.input)} shows ${label === '' ? nameAttribute(node) : label} other than before`
  return [{ selector, check: { kind: 'changed', from }, inputs, text, node }]
}

/** A text or state of the app that the row shows now and did not show before. */
function claimState(node: UiNode, entry: Entry, ending: Ending, before: Row): Claim[] {
  const old = findPartner(node, entry.row, before)
  const oldParts = new Set([...subtree(before.node)].flatMap(listParts).map(normalizeLabel))
  const chosenParts = listChosenParts(entry, ending)
  const words = listParts(node)
    .filter((part) => !oldParts.has(normalizeLabel(part)) && !chosenParts.has(normalizeLabel(part)))
    .map((part) => ending.keepText(part))
    .filter((part) => part !== '')
  const [word] = words
  if (word !== undefined) {
    const selector = selectInRow(node, entry, { part_equals: escapeReferences(word) }, 'STRUCTURAL')
    const text = `The given ${formatName(entry.input)} says ${word}`
    return [{ selector, check: { kind: 'present' }, inputs: [entry.input], text, node, is_state: true }]
  }
  const state = (['checked', 'selected'] as const).find(
    (name) => old !== undefined && isTrue(node, name) !== isTrue(old, name),
  )
  if (
    state === undefined ||
    ending.intents.some(({ kind, entry: one }) => kind === 'toggle' && one?.input === entry.input)
  )
    return []
  const selector = selectInRow(node, entry, { [state]: isTrue(node, state) }, 'VARIABLE')
  const text = `The given ${formatName(entry.input)} is ${isTrue(node, state) ? '' : 'not '}${state}`
  return [{ selector, check: { kind: 'present' }, inputs: [entry.input], text, node, is_state: true }]
}

/** What else the chosen entries and options say in their lists: it is something else for other entries. */
function listChosenParts({ input }: Entry, { intents, examples }: Ending): ReadonlySet<string> {
  const rows = intents.flatMap(({ node, entry, choice }) => {
    if (entry !== undefined) return entry.input === input ? [] : [entry.row.node]
    return choice === undefined || node === undefined ? [] : [findRowAround(node)?.node ?? node]
  })
  const given = new Set([...examples.values()].map(normalizeLabel))
  const parts = rows.flatMap((row) => [...subtree(row)]).flatMap(listParts)
  return new Set(parts.map(normalizeLabel).filter((part) => !given.has(part)))
}

const listParts = (node: UiNode): string[] => readLabels(node).flatMap(splitLabel)

/** The node at the same place of another row. */
function findPartner(node: UiNode, row: Row, other: Row): UiNode | undefined {
  const one = followWay(other.node, describeWay(row.node, node))
  return one !== undefined && attribute(one, 'class') === attribute(node, 'class') ? one : undefined
}

/** A node in the row that an input names. If the node shows the name itself, both must be in its label. */
function selectInRow(
  node: UiNode,
  entry: Entry,
  what: RecipeSelector,
  annotation: 'VARIABLE' | 'STRUCTURAL',
): RecipeSelector {
  const id = resourceId(node)
  const shape = id === '' ? { class: attribute(node, 'class') } : { resource_id: id }
  const key = { part_equals: formatReference(entry.input), annotation: 'VARIABLE' as const }
  return { ...shape, ...what, row: [key], annotation }
}

/**
 * Claims that an entry is there and lost a mark of the app that its row showed before: "Unread". Undefined if no entry that
 * the workflow touched lost one.
 */
export function findLostMark(ending: Ending): EntryProof | undefined {
  for (const entry of findNamedEntries(ending.end, ending)) {
    const touched = ending.intents.findLast((intent) => intent.entry?.input === entry.input)
    if (touched?.before === undefined || !isSameView(touched.before, ending.end)) continue
    const before = findRowByText(entry.cell.text, touched.before)
    const claims = before === undefined ? [] : claimLostMark(before, entry, ending)
    if (claims.length > 0) return { entry, claims }
  }
  return undefined
}

function claimLostMark(before: Row, entry: Entry, ending: Ending): Claim[] {
  const now = new Set([...subtree(entry.row.node)].flatMap(listParts).map(normalizeLabel))
  const lost = [...subtree(before.node)].flatMap((node) =>
    listParts(node)
      .filter((part) => !now.has(normalizeLabel(part)) && !/\p{N}/u.test(part) && ending.keepText(part) !== '')
      .map((part) => ({ node, part })),
  )
  const [mark] = lost
  if (mark === undefined) return []
  const selector = selectInRow(mark.node, entry, { part_equals: escapeReferences(mark.part) }, 'STRUCTURAL')
  const text = `The given ${formatName(entry.input)} no longer says ${mark.part}`
  const absent = { kind: 'absent', in_view: true } as const
  return [claimPresence(entry), { selector, check: absent, inputs: [entry.input], text, is_state: true }]
}

/**
 * Claims that an entry was removed: the list is still there, the entry is not. The last list that showed it counts: an
 * earlier page may show the same name in another kind of node.
 */
export function claimRemoval(ending: Ending): Claim[] {
  const { end } = ending
  for (const screen of listEarlierReadings(ending).toReversed()) {
    for (const entry of findNamedEntries(screen, ending)) {
      if (findRowByText(entry.cell.text, end) !== undefined) continue
      // What was typed is no entry yet, unless it was searched for and found.
      if (isTyped(entry, ending) && !isChosen(entry, ending)) continue
      if (!showsSameList(screen, end, entry)) continue
      // A search field still shows what was searched for.
      const others = end.nodes.filter((node) => !isTextField(node))
      if (others.some((node) => listParts(node).some((part) => part === entry.cell.text))) continue
      const anchor = findAnchor(ending, screen)
      if (anchor === undefined) continue
      const text = `The given ${formatName(entry.input)} is no longer in the list`
      return [
        { ...anchor, check: { kind: 'present' }, inputs: [], text: 'The list is shown' },
        ...claimGone(entry, ending).map((claim) => ({ ...claim, inputs: [entry.input], text })),
      ]
    }
  }
  return []
}

/**
 * An entry is nowhere in its list. One that was touched at a control of its row may be in another part of the list
 * afterwards, without that control: among what was cancelled or done. A box that was ticked stays with the entry.
 */
function claimGone(entry: Entry, { intents, locate }: Ending): Pick<Claim, 'selector' | 'container' | 'check'>[] {
  const place = locateEntry(entry)
  const touched = intents.find(({ entry: one, kind }) => one?.input === entry.input && kind === 'press')
  const { node, before } = touched ?? {}
  const control = node && before && touched?.entry && locate(node, before, touched.entry)
  if (control === undefined || control.selector.index !== undefined) return [{ ...place, check: { kind: 'absent' } }]
  if (node !== undefined && isTrue(node, 'checkable')) {
    const selector = { ...control.selector, checked: isTrue(node, 'checked') }
    return [{ ...control, selector, check: { kind: 'absent' } }]
  }
  return [
    { ...place, check: { kind: 'absent', in_view: true } },
    { ...control, check: { kind: 'absent' } },
  ]
}

/** Whether a screen still shows other entries of the list. The page of an entry may look alike, but shows none of them. */
function showsSameList(list: Screen, end: Screen, { row }: Entry): boolean {
  const others = listRows(list).filter((one) => one.node !== row.node && one.group === row.group)
  if (others.length === 0) return isSameView(list, end)
  return others.some((one) => {
    const name = findIdentity(one)
    return name !== undefined && findRowByText(name.text, end) !== undefined
  })
}

/**
 * A part of the app by which the last screen is recognised: best one that the same list showed before, and the page of
 * the last action does not show. Otherwise what is absent may be absent because that page is still open.
 */
function findAnchor(ending: Ending, list: Screen): (Place & Pick<Claim, 'fallbacks' | 'node'>) | undefined {
  const { end, earlier, locate, examples } = ending
  const data = listRows(end).filter(isDataRow)
  const inRows = new Set(data.flatMap(({ node }) => [...subtree(node)]))
  const labelled = end.nodes.filter((node) => !inRows.has(node) && readText(node) !== '')
  const places = [...(end.title === undefined ? [] : [end.title]), ...labelled].flatMap((node) => {
    const place = locate(node, end)
    return place !== undefined && place.selector.annotation === 'STRUCTURAL' ? [{ ...place, node }] : []
  })
  const last = earlier.at(-1)
  const isOn = (screen: Screen | undefined, place: Place) =>
    screen !== undefined && findNodes(screen, place, examples).length > 0
  const best = places.find((place) => isOn(list, place) && !isOn(last, place)) ?? places[0]
  const page = best === undefined || best.container !== undefined ? undefined : findPageAnchor(ending)
  return best && { ...best, ...(page !== undefined && { fallbacks: [page] }) }
}

/** In another language the page is known by the places of its controls, if the page of the last action has others. */
function findPageAnchor({ end, earlier, keepText }: Ending): RecipeFallback | undefined {
  const [first] = end.nodes
  const control = first && readLayout(first).find(({ moves }) => !moves)
  const anchor = control && draftPageAnchor(control.node, end, keepText)
  const last = earlier.at(-1)?.nodes[0]
  if (anchor?.page === undefined || last === undefined || findOnPage(last, anchor.page) !== undefined) return undefined
  return anchor
}
