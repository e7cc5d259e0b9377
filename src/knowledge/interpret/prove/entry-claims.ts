import { findCheckable } from '../../../screen/checkable.ts'
import { isTrue, type UiNode } from '../../../screen/hierarchy.ts'
import { isNear, parseDisplayedNumber } from '../../../screen/displayed-number.ts'
import type { Claim } from './claims.ts'
import { nameAttribute, type Ending } from './ending.ts'
import type { LearnedInput } from '../read/inputs.ts'
import { formatReference } from '../read/matching.ts'
import { type Entry, listRows, type Row } from '../read/rows.ts'
import { isSameView, type Screen } from '../read/screen.ts'
import { locateEntry } from '../read/selectors.ts'
import { resourceId, readText, listTextNodes, formatName } from '../read/node-text.ts'

/** Claims about one list entry of the last screen. */
interface EntryProof {
  readonly claims: readonly Claim[]
  /** The entry that must be visible to check them. */
  readonly entry: Entry
}

/** Finds the entry that covers most inputs: it is new, or shows new values. */
export function findEntryProof(ending: Ending): EntryProof | undefined {
  const proofs = findNamedEntries(ending).flatMap((entry) => {
    const claims = entryClaims(entry, ending)
    return claims.length === 0 ? [] : [{ entry, claims }]
  })
  return proofs.toSorted((a, b) => countInputs(b) - countInputs(a))[0]
}

function countInputs({ claims }: EntryProof): number {
  return new Set(claims.flatMap(({ inputs }) => inputs)).size
}

/** Claims that an entry was removed. */
export function removalClaims(ending: Ending): Claim[] {
  const { end, start } = ending
  if (start === undefined || !isSameView(start, end)) return []
  return findNamedEntries({ ...ending, end: start }).flatMap((entry): Claim[] => {
    const list = ending.locate(entry.row.list, start)
    if (list === undefined || findRowByText(readText(entry.cell), end) !== undefined) return []
    const text = `The given ${formatName(entry.input)} is no longer in the list`
    const place = locateEntry(entry.row.node, entry)
    return [
      { ...list, check: { kind: 'present' }, inputs: [], text: 'The list is shown' },
      { ...place, check: { kind: 'absent' }, inputs: [entry.input], text },
    ]
  })
}

/** The rows that an input names: exactly one cell of all rows has its value. */
function findNamedEntries({ end, inputs }: Pick<Ending, 'end' | 'inputs'>): Entry[] {
  const rows = listRows(end.nodes)
  return inputs
    .filter(({ type, example, choices }) => type === 'string' && example && choices === undefined)
    .flatMap((input) => {
      const found = rows.flatMap((row) =>
        listTextNodes(row.node)
          .filter((cell) => end.nodes.includes(cell) && readText(cell) === input.example)
          .map((cell) => ({ row, cell, input: input.name })),
      )
      const [entry] = found
      return entry !== undefined && found.length === 1 ? [entry] : []
    })
}

function entryClaims(entry: Entry, ending: Ending): Claim[] {
  const before = findEntryAtStart(entry, ending)
  const cells = listTextNodes(entry.row.node).filter((cell) => cell !== entry.cell)
  const claims = [
    ...cells.flatMap((cell) => cellClaims(cell, entry, ending, before)),
    ...selectionClaims(entry, ending, before),
  ]
  if (claims.length > 0) return claims
  // An entry without a new value that existed before proves nothing.
  if (before !== undefined || ending.start === undefined) return []
  const text = `The given ${formatName(entry.input)} is in the list`
  const place = locateEntry(entry.row.node, entry)
  return [{ ...place, check: { kind: 'present' }, inputs: [entry.input], text }]
}

/** The row of the entry at the start, if it existed. */
function findEntryAtStart({ cell }: Entry, { start, end }: Ending): Row | undefined {
  if (start === undefined || !isSameView(start, end)) return undefined
  return findRowByText(readText(cell), start)
}

function findRowByText(text: string, { nodes }: Screen): Row | undefined {
  return listRows(nodes).find(({ node }) => listTextNodes(node).some((cell) => readText(cell) === text))
}

/** Claims that an entry became selected or checked. */
function selectionClaims(entry: Entry, ending: Ending, before: Row | undefined): Claim[] {
  const { start, end, intents } = ending
  if (before === undefined || start === undefined) return []
  // A checkbox that was set has its own input.
  if (intents.some(({ kind, entry: one }) => kind === 'toggle' && one?.input === entry.input)) {
    return []
  }
  const text = `The given ${formatName(entry.input)} is selected`
  const place = locateEntry(entry.row.node, entry)
  const inputs = [entry.input]
  if (isChecked(end, entry.row.node) && !isChecked(start, before.node)) {
    return [{ ...place, check: { kind: 'picked' }, inputs, text }]
  }
  if (!isTrue(entry.row.node, 'selected') || isTrue(before.node, 'selected')) return []
  const selector = { ...place.selector, selected: true }
  return [{ selector, check: { kind: 'present' }, inputs, text }]
}

function isChecked({ tree }: Screen, row: UiNode): boolean {
  const box = findCheckable(tree, row)
  return box.kind === 'found' && isTrue(box.node, 'checked')
}

function cellClaims(cell: UiNode, entry: Entry, { inputs, end, locate }: Ending, before: Row | undefined): Claim[] {
  if (!end.nodes.includes(cell) || !isNewIn(cell, before)) return []
  const input = inputs.find((one) => one.name !== entry.input && hasInputValue(cell, one))
  const place = input && locate(cell, end, entry)
  if (input === undefined || place === undefined) return []
  const check =
    input.type === 'number'
      ? ({ kind: 'number', input: input.name } as const)
      : ({ kind: 'text', equals: formatReference(input.name) } as const)
  const part = `${nameAttribute(cell)} of the given ${formatName(entry.input)}`
  const text = `The ${part} is the given ${formatName(input.name)}`
  return [{ ...place, check, inputs: [entry.input, input.name], text }]
}

/** Whether no cell with the same id had this text before. */
function isNewIn(cell: UiNode, before: Row | undefined): boolean {
  if (before === undefined) return true
  const id = resourceId(cell)
  const oldCells = listTextNodes(before.node).filter((one) => id === '' || resourceId(one) === id)
  return oldCells.every((one) => readText(one) !== readText(cell))
}

function hasInputValue(cell: UiNode, { type, example }: LearnedInput): boolean {
  if (example === undefined || example === '') return false
  const text = readText(cell)
  if (type === 'string') return text === example
  if (type !== 'number') return false
  const value = parseDisplayedNumber(text)
  return value !== undefined && isNear(value, Number(example))
}
