import type { ReportArtifact, ReportCell } from '@apprentice/contracts/scenes/artifact.ts'

/** Spreadsheet programs read a file with this mark as UTF-8. */
const BYTE_ORDER_MARK = '\uFEFF'
/** What a spreadsheet program would calculate, also in full width. */
const FORMULA = /^[=+\-@\t\r＝＋－＠]/
const SPECIAL = /[",\r\n]/
const FORMULA_OR_SPECIAL = /^[=+\-@\t＝＋－＠]|[",\r\n]/

/**
 * A report as CSV (RFC 4180). A text that a spreadsheet program would read as a formula gets an apostrophe before it;
 * numbers are written as they are.
 */
export function* formatReportCsv({ columns, rows, totals }: ReportArtifact): Generator<string> {
  const keys = columns.map(({ key }) => key)
  yield `${BYTE_ORDER_MARK}${formatLine(columns.map(({ label }) => label))}`
  for (const row of totals === undefined ? rows : [...rows, totals])
    yield formatLine(keys.map((key) => row[key] ?? null))
}

const formatLine = (cells: readonly ReportCell[]): string => `${cells.map(formatCell).join(',')}\r\n`

function formatCell(cell: ReportCell): string {
  if (cell === null) return ''
  if (typeof cell !== 'string') return String(cell)
  if (!FORMULA_OR_SPECIAL.test(cell)) return cell
  const text = FORMULA.test(cell) ? `'${cell}` : cell
  return SPECIAL.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
