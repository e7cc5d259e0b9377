import { groupLines, joinBoxes, type Table, type TextLine, type Word } from './geometry.ts'

/** Words that stand close to each other in one line. */
export interface Segment {
  readonly x0: number
  readonly x1: number
  readonly words: readonly Word[]
}

/** A gap between words that is wider than this part of their height separates columns. */
const COLUMN_GAP = 0.9
/** A gap between lines that is higher than this multiple of their height ends a table. */
const ROW_GAP = 2.2
const MIN_ROWS = 3
/** Two columns whose cells have more words than this on average are columns of running text. */
const PROSE_WORDS = 5

/** Splits a line where the gap between two words is wide. */
export function splitLine({ words }: TextLine): Segment[] {
  const segments: { x0: number; x1: number; words: Word[] }[] = []
  for (const word of words) {
    const last = segments.at(-1)
    const height = word.y1 - word.y0
    if (last !== undefined && word.x0 - last.x1 < height * COLUMN_GAP) {
      last.words.push(word)
      last.x1 = Math.max(last.x1, word.x1)
    } else segments.push({ x0: word.x0, x1: word.x1, words: [word] })
  }
  return segments
}

/** Finds tables without lines: consecutive lines of text with the same gaps. */
export function findAlignedTables(words: readonly Word[]): Table[] {
  const lines = groupLines(words).map((line) => ({ line, segments: splitLine(line) }))
  const tables: Table[] = []
  let block: SplitLine[] = []
  const close = (): void => {
    const table = readBlock(block)
    if (table !== undefined) tables.push(table)
    block = []
  }
  for (const one of lines) {
    const previous = block.at(-1)
    if (previous !== undefined && isApart(previous.line, one.line)) close()
    const fits = one.segments.length > 1 ? keepsColumns([...block, one]) : continuesRow(block, one)
    if (!fits) close()
    if (fits || one.segments.length > 1) block.push(one)
  }
  close()
  return tables
}

interface SplitLine {
  readonly line: TextLine
  readonly segments: readonly Segment[]
}

const isApart = (above: TextLine, below: TextLine): boolean =>
  below.box.y0 - above.box.y1 > (above.box.y1 - above.box.y0) * ROW_GAP

/** Whether lines still have at least two columns in common. */
const keepsColumns = (block: readonly SplitLine[]): boolean => listColumns(block).length > 1

/** Whether a line with one segment is the rest of a cell of the line above: it stands in one column only. */
function continuesRow(block: readonly SplitLine[], { segments }: SplitLine): boolean {
  const [segment] = segments
  if (segment === undefined || block.length === 0) return false
  const columns = listColumns(block)
  const crossed = columns.filter(({ x0, x1 }) => segment.x0 < x1 && segment.x1 > x0)
  return crossed.length === 1 && keepsColumns(block)
}

/** The stretches of the width that have text, in order. Between them every line is empty. */
function listColumns(block: readonly SplitLine[]): { x0: number; x1: number }[] {
  const columns: { x0: number; x1: number }[] = []
  const segments = block.flatMap((one) => one.segments).toSorted((a, b) => a.x0 - b.x0)
  for (const { x0, x1 } of segments) {
    const last = columns.at(-1)
    if (last !== undefined && x0 <= last.x1) last.x1 = Math.max(last.x1, x1)
    else columns.push({ x0, x1 })
  }
  return columns
}

function readBlock(block: readonly SplitLine[]): Table | undefined {
  // A single segment at the end is the next paragraph rather than the rest of a cell.
  const lines = block.slice(0, block.findLastIndex(({ segments }) => segments.length > 1) + 1)
  const columns = listColumns(lines)
  if (columns.length < 2 || lines.length < MIN_ROWS) return undefined
  const cells: string[][] = []
  for (const { segments } of lines) {
    const row = columns.map(({ x0, x1 }) =>
      segments
        .filter((segment) => segment.x0 <= x1 && segment.x1 >= x0)
        .flatMap((segment) => segment.words.map(({ text }) => text))
        .join(' '),
    )
    const above = cells.at(-1)
    // The rest of a cell has nothing in the first column.
    if (above !== undefined && segments.length === 1 && row[0] === '') {
      for (const [at, text] of row.entries()) if (text !== '') above[at] = `${above[at] ?? ''} ${text}`.trim()
    } else cells.push(row)
  }
  if (cells.length < MIN_ROWS || isProse(lines, columns.length)) return undefined
  const box = joinBoxes(lines.map(({ line }) => line.box))
  return { found_by: 'alignment', box, cells, spans: [] }
}

function isProse(lines: readonly SplitLine[], columns: number): boolean {
  const segments = lines.flatMap((one) => one.segments)
  const words = segments.reduce((sum, segment) => sum + segment.words.length, 0)
  return columns === 2 && words / segments.length > PROSE_WORDS
}
