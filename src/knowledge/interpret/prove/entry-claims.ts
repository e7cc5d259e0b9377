import { checkableFor } from '../../../screen/checkable.ts'
import { isTrue, type UiNode } from '../../../screen/hierarchy.ts'
import { isNear, shownNumber } from '../../../screen/shown-number.ts'
import type { Entry } from '../read/entry.ts'
import type { Claim } from './claims.ts'
import { attributeName, type Ending } from './ending.ts'
import type { LearnedInput } from '../read/inputs.ts'
import { reference } from '../read/matching.ts'
import { type Row, rowsUnder } from '../read/rows.ts'
import { isSameView, type Screen } from '../read/screen.ts'
import { entryPlace } from '../read/selectors.ts'
import { resourceId, shownWords, speakingNodes, spoken } from '../read/words.ts'

/** What the entries of the lists on the last screen tell. */
interface EntryProof {
  readonly claims: readonly Claim[]
  /** The entry that must be in view to be read. */
  readonly entry: Entry
}

/** An entry that came to be, or came to show what was asked for. */
export function entryProof(ending: Ending): EntryProof | undefined {
  const proofs = addressedEntries(ending).flatMap((entry) => {
    const claims = claimsOf(entry, ending)
    return claims.length === 0 ? [] : [{ entry, claims }]
  })
  return proofs.toSorted((a, b) => covered(b) - covered(a))[0]
}

function covered({ claims }: EntryProof): number {
  return new Set(claims.flatMap(({ inputs }) => inputs)).size
}

/** An entry that is gone. */
export function removalClaims(ending: Ending): Claim[] {
  const { end, start } = ending
  if (start === undefined || !isSameView(start, end)) return []
  return addressedEntries({ ...ending, end: start }).flatMap((entry): Claim[] => {
    const list = ending.locate(entry.row.list, start)
    if (list === undefined || rowWith(shownWords(entry.cell), end) !== undefined) return []
    const words = `The given ${spoken(entry.input)} is no longer in the list`
    const place = entryPlace(entry.row.node, entry)
    return [
      { ...list, check: { kind: 'present' }, inputs: [], words: 'The list is shown' },
      { ...place, check: { kind: 'absent' }, inputs: [entry.input], words },
    ]
  })
}

/** Rows that show, in one of their cells and no other row in the same, what an input said. */
function addressedEntries({ end, inputs }: Pick<Ending, 'end' | 'inputs'>): Entry[] {
  const rows = rowsUnder(end.nodes)
  return inputs
    .filter(({ type, example, choices }) => type === 'string' && example && choices === undefined)
    .flatMap((input) => {
      const found = rows.flatMap((row) =>
        speakingNodes(row.node)
          .filter((cell) => end.nodes.includes(cell) && shownWords(cell) === input.example)
          .map((cell) => ({ row, cell, input: input.name })),
      )
      const [entry] = found
      return entry !== undefined && found.length === 1 ? [entry] : []
    })
}

function claimsOf(entry: Entry, ending: Ending): Claim[] {
  const before = sameEntry(entry, ending)
  const cells = speakingNodes(entry.row.node).filter((cell) => cell !== entry.cell)
  const linked = cells.flatMap((cell) => cellClaims(cell, entry, ending, before))
  const all = [...linked, ...selectionClaims(entry, ending, before)]
  if (all.length > 0) return all
  // An entry that was there before and shows nothing new proves nothing.
  if (before !== undefined || ending.start === undefined) return []
  const words = `The given ${spoken(entry.input)} is in the list`
  const place = entryPlace(entry.row.node, entry)
  return [{ ...place, check: { kind: 'present' }, inputs: [entry.input], words }]
}

/** The entry as it was at the start, if it was there. */
function sameEntry({ cell }: Entry, { start, end }: Ending): Row | undefined {
  if (start === undefined || !isSameView(start, end)) return undefined
  return rowWith(shownWords(cell), start)
}

function rowWith(words: string, { nodes }: Screen): Row | undefined {
  return rowsUnder(nodes).find(({ node }) =>
    speakingNodes(node).some((cell) => shownWords(cell) === words),
  )
}

/** An entry that was not chosen and now is. */
function selectionClaims(entry: Entry, ending: Ending, before: Row | undefined): Claim[] {
  const { start, end, intents } = ending
  if (before === undefined || start === undefined) return []
  // A box that was ticked as such is a matter of its own input.
  if (intents.some(({ kind, entry: one }) => kind === 'toggle' && one?.input === entry.input)) {
    return []
  }
  const words = `The given ${spoken(entry.input)} is selected`
  const place = entryPlace(entry.row.node, entry)
  const inputs = [entry.input]
  if (isTicked(end, entry.row.node) && !isTicked(start, before.node)) {
    return [{ ...place, check: { kind: 'picked' }, inputs, words }]
  }
  if (!isTrue(entry.row.node, 'selected') || isTrue(before.node, 'selected')) return []
  const selector = { ...place.selector, selected: true }
  return [{ selector, check: { kind: 'present' }, inputs, words }]
}

function isTicked({ tree }: Screen, row: UiNode): boolean {
  const box = checkableFor(tree, row)
  return box.kind === 'found' && isTrue(box.node, 'checked')
}

function cellClaims(
  cell: UiNode,
  entry: Entry,
  { inputs, end, locate }: Ending,
  before: Row | undefined,
): Claim[] {
  if (!end.nodes.includes(cell) || !isNewIn(cell, before)) return []
  const input = inputs.find((one) => one.name !== entry.input && isOutcome(cell, one))
  const place = input && locate(cell, end, entry)
  if (input === undefined || place === undefined) return []
  const check =
    input.type === 'number'
      ? ({ kind: 'number', input: input.name } as const)
      : ({ kind: 'text', equals: reference(input.name) } as const)
  const thing = `${attributeName(cell)} of the given ${spoken(entry.input)}`
  const words = `The ${thing} is the given ${spoken(input.name)}`
  return [{ ...place, check, inputs: [entry.input, input.name], words }]
}

/** A cell that said the same before tells nothing of what was done. */
function isNewIn(cell: UiNode, before: Row | undefined): boolean {
  if (before === undefined) return true
  const id = resourceId(cell)
  const was = speakingNodes(before.node).filter((one) => id === '' || resourceId(one) === id)
  return was.every((one) => shownWords(one) !== shownWords(cell))
}

function isOutcome(cell: UiNode, { type, example }: LearnedInput): boolean {
  if (example === undefined || example === '') return false
  const words = shownWords(cell)
  if (type === 'string') return words === example
  if (type !== 'number') return false
  const value = shownNumber(words)
  return value !== undefined && isNear(value, Number(example))
}
