import { type UiNode, attribute } from '../tree/hierarchy.ts'
import { isStateWord } from './state-words.ts'
import { type Cell, listCells } from './cells.ts'
import { splitLabel } from './label-parts.ts'
import { isMeasure, isPhoneNumber, maskText } from './mask-text.ts'
import { readBounds } from './node-kind.ts'
import type { Row, RowGroup } from './row-group.ts'

/**
 * The cell(s) that tell a row apart on the screens seen; several if only their combination does; empty if nothing does.
 * A time, a counter, a state or a price is taken only if no other cell will do. `others` are the groups of the same list
 * on other screens: a text may occur once on each of them, because the row itself may be there.
 */
export function chooseKey(row: Row, others: readonly RowGroup[]): Cell[] {
  const cells = listCells(row.node)
  const screens = [row.group, ...others].map((group) => group.members.map((member) => listCells(member)))
  const counts = screens.map(countRowsByText)
  const [own = []] = screens
  const ranked = rankCells(row, cells, own)
  const single = ranked.find(({ text }) => counts.every((count) => (count.get(text) ?? 0) <= 1))
  if (single !== undefined) return [single]
  for (const [at, first] of ranked.entries()) {
    const second = ranked.slice(at + 1).find((one) => tellsApart(first, one, screens))
    if (second !== undefined) return [first, second]
  }
  return []
}

type ScreenCells = readonly (readonly Cell[])[]

function countRowsByText(rows: ScreenCells): Map<string, number> {
  const counts = new Map<string, number>()
  for (const cells of rows) {
    for (const text of new Set(cells.map((cell) => cell.text))) counts.set(text, (counts.get(text) ?? 0) + 1)
  }
  return counts
}

function tellsApart(first: Cell, second: Cell, screens: readonly ScreenCells[]): boolean {
  return screens.every(
    (rows) =>
      rows.filter((cells) => [first, second].every(({ text }) => cells.some((cell) => cell.text === text))).length <= 1,
  )
}

/** Best first: no measure or state, a column that tells most rows apart, then the first read. */
function rankCells(row: Row, cells: readonly Cell[], rows: ScreenCells): Cell[] {
  const columns = new Map<string, string[]>()
  for (const [at, one] of rows.entries()) {
    const member = row.group.members[at]
    if (member === undefined) continue
    for (const [cellAt, column] of nameColumns(member, one).entries()) {
      const values = columns.get(column) ?? []
      columns.set(column, values)
      const text = one[cellAt]?.text
      if (text !== undefined) values.push(text)
    }
  }
  const names = nameColumns(row.node, cells)
  const scored = cells.map((cell, at) => {
    const values = columns.get(names[at] ?? '') ?? [cell.text]
    // "Screen 3" behind another text counts something.
    const isCounter = at > 0 && values.length > 1 && isNumbered(values)
    const score = scoreCell(cell.text, new Set(values).size / values.length, isCounter)
    return { cell, at, score: score - at * READING_WEIGHT - (at > 0 && isDetail(values) ? DETAIL_WEIGHT : 0) }
  })
  return scored.toSorted((a, b) => b.score - a.score || a.at - b.at).map(({ cell }) => cell)
}

/** The place of a cell counts more than its letters: what follows a title describes it, often at length. */
const READING_WEIGHT = 1

const DETAIL_WEIGHT = 3

/** Whether most texts of a column contain a number: below a title they tell when, where or how much. */
function isDetail(texts: readonly string[]): boolean {
  return texts.filter((text) => maskText(text) !== text).length > texts.length * DETAIL_SHARE
}

const DETAIL_SHARE = 0.66

/** Whether texts differ in their numbers only. */
function isNumbered(texts: readonly string[]): boolean {
  const masked = new Set(texts.map((text) => maskText(text)))
  return masked.size === 1 && /\p{Nd}/u.test(texts[0] ?? '')
}

function scoreCell(text: string, distinct: number, isCounter: boolean): number {
  const letters = countLetters(text)
  const isName = !isMeasure(text) && !isStateWord(text) && (letters >= 2 || isPhoneNumber(text))
  // "55 min · Direct" describes what another cell names.
  const [first = '', ...rest] = splitLabel(text)
  const isVolatile = isCounter || !isName || (rest.length > 0 && isMeasure(first))
  return (isVolatile ? 0 : 10) + (distinct >= 0.9 ? 4 : distinct * 2) + Math.min(letters, 40) / 40
}

/**
 * Cells of one column have the same id, place and line in their rows. Equal ones are numbered. A text at the right edge
 * ends there, wherever it begins.
 */
function nameColumns(row: UiNode, cells: readonly Cell[]): string[] {
  const { left, right } = readBounds(row)
  const counts = new Map<string, number>()
  return cells.map(({ node, line }) => {
    const place = readBounds(node)
    const [start, end] = [place.left - left, right - place.right].map((gap) =>
      Math.round((gap / Math.max(1, right - left)) * PLACES),
    )
    const offset = end === 0 && (start ?? 0) > PLACES / 2 ? 'end' : start
    const name = `${attribute(node, 'resource-id')}:${offset}:${line ?? 0}`
    const count = counts.get(name) ?? 0
    counts.set(name, count + 1)
    return `${name}:${count}`
  })
}

/** Places across a row that are told apart. */
const PLACES = 20

function countLetters(text: string): number {
  return text.match(/\p{L}/gu)?.length ?? 0
}
