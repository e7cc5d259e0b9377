import { isTrue, type UiNode } from '../../../screen/hierarchy.ts'
import type { InputList } from './inputs.ts'
import type { Move } from './move.ts'
import { entryNames } from './naming.ts'
import { identityOf, isData, type Row, rowAround, rowsUnder } from './rows.ts'
import { isSameView, isTextField, type Screen } from './screen.ts'
import { canBeStructural } from './structural-words.ts'
import { isOption } from './toggling.ts'
import { shownWords, speakingNodes, spoken } from './words.ts'

/** An entry of a list that is told by an input. */
export interface Entry {
  readonly row: Row
  /** What it is known by. */
  readonly cell: UiNode
  readonly input: string
}

/** What a reviewer, or a second run, has said about words in a list. */
export interface Rulings {
  /** Moves whose entry is the same each time. */
  readonly fixed: ReadonlySet<string>
  /** Moves whose entry is another each time. */
  readonly varied: ReadonlySet<string>
  /** Switches that were set one way in one run and the other way in another. */
  readonly undecided: ReadonlySet<string>
}

interface EntryContext {
  /** The move itself and all that came after it. */
  readonly later: readonly Move[]
  readonly inputs: InputList
  readonly rulings: Rulings
}

/** The list entry a move was done to, if it is one of many and not of the app's own menu. */
export function entryOf(move: Move, around: EntryContext): Entry | undefined {
  const { node, before } = move
  if (node === undefined || before === undefined || isTextField(node)) return undefined
  if (!['press', 'long_press', 'toggle', 'adjust'].includes(move.kind)) return undefined
  const row = rowAround(node)
  const cell = row && identityOf(row, openedBy(move))
  if (row === undefined || cell === undefined || isOption(node)) return undefined
  const words = shownWords(cell)
  if (!isChosen(move, row, words, around)) return undefined
  const { inputs } = around
  const known = inputs.withExample(words)
  if (known !== undefined) inputs.alsoFrom(known.name, move.event_ids)
  const wanted_name = inputs.nameFrom(entryNames(row, before), words)
  const input =
    known ??
    inputs.add({
      wanted_name,
      type: 'string',
      summary: `Which ${spoken(wanted_name)}, by its name in the list`,
      example: words,
      source_event_ids: move.event_ids,
    })
  return { row, cell, input: input.name }
}

/** What came up when an entry was touched, if anything did. */
export function openedBy({ before, after }: Move): Screen | undefined {
  if (before === undefined || after === undefined || isSameView(before, after)) return undefined
  return after
}

/**
 * Whether an entry was chosen among data, or is one of the app's own menu. What stands in a list is
 * data, but for the pages of settings that a framework lays out; and even there an entry is data whose
 * words come back in what it opened, or that was changed by what was done.
 */
function isChosen(move: Move, row: Row, words: string, around: EntryContext): boolean {
  const { rulings, later, inputs } = around
  if (move.event_ids.some((id) => rulings.fixed.has(id))) return false
  if (move.event_ids.some((id) => rulings.varied.has(id))) return true
  if (!canBeStructural(words) || inputs.withExample(words) !== undefined) return true
  if (isData(row)) return true
  if (move.kind === 'toggle' || move.kind === 'adjust') return false
  return comesBack(move, words) || changesLater(move, words, later)
}

/** The words stand in what opened, and not only as its title. */
function comesBack({ before, after }: Move, words: string): boolean {
  if (before === undefined || after === undefined || isSameView(before, after)) return false
  return after.nodes.some((node) => {
    if (node === after.title) return false
    const shown = shownWords(node)
    return after.is_dialog ? shown.includes(words) : shown === words
  })
}

function changesLater({ before }: Move, words: string, later: readonly Move[]): boolean {
  if (before === undefined) return false
  const was = entryWords(before, words)
  return later.some(({ after }) => {
    if (after === undefined || !isSameView(before, after)) return false
    const now = entryWords(after, words)
    return now !== undefined && now !== was
  })
}

function entryWords(screen: Screen, words: string): string | undefined {
  const row = rowsUnder(screen.nodes).find(({ node }) =>
    speakingNodes(node).some((cell) => shownWords(cell) === words),
  )
  return (
    row && [isTrue(row.node, 'selected'), ...speakingNodes(row.node).map(shownWords)].join('\n')
  )
}
