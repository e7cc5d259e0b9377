import { stripVTControlCharacters } from 'node:util'
import { styleState, styleText, type StyledOutput } from './styles.ts'

export interface TableOutput extends StyledOutput {
  readonly columns?: number
}

const GAP = '  '
const MIN_LAST_COLUMN = 12

/**
 * Aligns rows in columns. The first row holds the headings. On a terminal, headings are bold, states have colors, and
 * the last column is shortened to the width of the terminal.
 */
export function formatTable(rows: readonly (readonly string[])[], out: TableOutput = process.stdout): string {
  const count = Math.max(0, ...rows.map((row) => row.length))
  const widths = Array.from({ length: count }, (_unused, at) => {
    return Math.max(0, ...rows.map((row) => measureText(row[at] ?? '')))
  })
  const room = measureLastColumn(widths, out)
  return rows
    .map((row, line) =>
      row
        .map((cell, at) => {
          const text = at === count - 1 ? shortenText(cell, room) : cell
          const padding = ' '.repeat(Math.max(0, (widths[at] ?? 0) - measureText(text)))
          return (line === 0 ? styleText(text, 'bold', out) : styleState(text, out)) + padding
        })
        .join(GAP)
        .trimEnd(),
    )
    .join('\n')
}

function measureLastColumn(widths: readonly number[], { isTTY, columns }: TableOutput): number {
  if (isTTY !== true || columns === undefined) return Number.POSITIVE_INFINITY
  const before = widths.slice(0, -1).reduce((sum, width) => sum + width + GAP.length, 0)
  return Math.max(MIN_LAST_COLUMN, columns - before)
}

function shortenText(text: string, room: number): string {
  if (measureText(text) <= room) return text
  let short = ''
  for (const char of text) {
    if (measureText(short + char) >= room) break
    short += char
  }
  return `${short}…`
}

/** Letters of East Asian scripts and emoji, which take two columns. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1f64f}\u{1f900}-\u{1f9ff}\u{20000}-\u{3fffd}]/u
const MARK = /\p{Mark}/u

/** The columns that a text takes on a terminal. */
export function measureText(text: string): number {
  let width = 0
  for (const char of stripVTControlCharacters(text)) {
    if (WIDE.test(char)) width += 2
    else if (!MARK.test(char)) width += 1
  }
  return width
}
