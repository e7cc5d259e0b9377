import type { TableMode } from '@apprentice/contracts/documents/adapter.ts'
import { findAlignedTables, splitLine } from './aligned-tables.ts'
import {
  type Box,
  clusterValues,
  findCenter,
  groupLines,
  joinBoxes,
  type Rules,
  type Table,
  type Word,
} from './geometry.ts'
import { findRuledTables } from './ruled-tables.ts'

/** How far the left edges of one column may be apart, in points. */
const EDGE_GAP = 4
/** A gap that is higher than this multiple of the line above it is an empty row. */
const EMPTY_ROW_GAP = 1.4

/**
 * The tables of a page.
 *
 * strict             those with drawn lines
 * auto               also those without lines, in the text outside of the others
 * layout_preserving  the whole page as one grid: a row for each line of text, a column for each left edge
 */
export function findTables(words: readonly Word[], rules: Rules, mode: TableMode): Table[] {
  if (mode === 'layout_preserving') return words.length === 0 ? [] : [readLayout(words)]
  const ruled = findRuledTables(words, rules)
  if (mode === 'strict') return ruled
  const others = words.filter((word) => !ruled.some(({ box }) => isInside(word, box)))
  return [...ruled, ...findAlignedTables(others)].toSorted((a, b) => a.box.y0 - b.box.y0 || a.box.x0 - b.box.x0)
}

function isInside(word: Word, { x0, y0, x1, y1 }: Box): boolean {
  const { x, y } = findCenter(word)
  return x >= x0 && x <= x1 && y >= y0 && y <= y1
}

function readLayout(words: readonly Word[]): Table {
  const lines = groupLines(words)
  const split = lines.map((line) => splitLine(line))
  const edges = clusterValues(
    split.flatMap((segments) => segments.map(({ x0 }) => x0)),
    EDGE_GAP,
  )
  const cells: string[][] = []
  for (const [at, segments] of split.entries()) {
    const [above, line] = [lines[at - 1], lines[at]]
    const isFar =
      above !== undefined &&
      line !== undefined &&
      line.box.y0 - above.box.y1 > (above.box.y1 - above.box.y0) * EMPTY_ROW_GAP
    if (isFar) cells.push(edges.map(() => ''))
    const row = edges.map(() => '')
    for (const { x0, words: own } of segments) {
      const column = findNearest(edges, x0)
      const text = own.map((word) => word.text).join(' ')
      row[column] = row[column] === '' ? text : `${row[column] ?? ''} ${text}`
    }
    cells.push(row)
  }
  return { found_by: 'layout', box: joinBoxes(words), cells, spans: [] }
}

const findNearest = (values: readonly number[], value: number): number =>
  values.reduce(
    (best, one, at) => (Math.abs(one - value) < Math.abs((values[best] ?? Infinity) - value) ? at : best),
    0,
  )
