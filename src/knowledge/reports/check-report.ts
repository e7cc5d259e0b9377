import {
  MAX_CELL_LENGTH,
  MAX_REPORT_ROWS,
  type ReportArtifact,
  type ReportCell,
  type ReportColumn,
  ReportHead,
} from '@apprentice/contracts/scenes/artifact.ts'

/** What the manifest of a scene says about its reports. */
export interface ReportRules {
  readonly type: string
  readonly success_status: readonly string[]
  readonly failure_status: readonly string[]
}

export type CheckedReport =
  | { readonly kind: 'report'; readonly report: ReportArtifact; readonly succeeded: boolean }
  | { readonly kind: 'invalid'; readonly message: string }
  | { readonly kind: 'too_many_rows'; readonly message: string }

type Row = Readonly<Record<string, ReportCell>>

const DATE = /^\d{4}-\d{2}-\d{2}$/

/** Checks the value that a script returned. Rows are checked without a schema, because there may be 100,000 of them. */
export function checkReport(value: unknown, rules: ReportRules): CheckedReport {
  const head = ReportHead.safeParse(value)
  if (!head.success) return invalid(formatIssue(head.error.issues[0]))
  const { rows, totals } = value as { rows?: unknown; totals?: unknown }
  const { type, status, columns } = head.data
  if (type !== rules.type) return invalid(`type: must be ${rules.type}`)
  const succeeded = rules.success_status.includes(status)
  if (!succeeded && !rules.failure_status.includes(status)) {
    return invalid(`status: the manifest does not list ${status}`)
  }
  if (new Set(columns.map(({ key }) => key)).size < columns.length) return invalid('columns: two have the same key')
  if (!Array.isArray(rows)) return invalid('rows: must be a list')
  if (rows.length > MAX_REPORT_ROWS) {
    return { kind: 'too_many_rows', message: `The report has ${rows.length} rows; ${MAX_REPORT_ROWS} are allowed.` }
  }
  const problem = findRowProblem(rows, columns) ?? (totals === undefined ? undefined : findProblem(totals, columns))
  if (problem !== undefined) return invalid(problem)
  const report = {
    ...head.data,
    rows: rows.map((row: Row) => pickCells(row, columns)),
    ...(totals === undefined ? {} : { totals: pickCells(totals as Row, columns) }),
  }
  return { kind: 'report', report, succeeded }
}

function findRowProblem(rows: readonly unknown[], columns: readonly ReportColumn[]): string | undefined {
  for (const [at, row] of rows.entries()) {
    const problem = findProblem(row, columns)
    if (problem !== undefined) return `rows.${at}: ${problem}`
  }
  return undefined
}

/** What is wrong with one row, or with the totals, whose texts may stand in any column. */
function findProblem(row: unknown, columns: readonly ReportColumn[]): string | undefined {
  if (typeof row !== 'object' || row === null || Array.isArray(row)) return 'must be an object'
  const cells = row as Record<string, unknown>
  for (const { key, type } of columns) {
    const cell = Object.hasOwn(cells, key) ? cells[key] : null
    if (cell === null || cell === undefined || isOfType(type, cell)) continue
    return `${key}: must be ${EXPECTED[type]}, or null`
  }
  return undefined
}

const EXPECTED: Readonly<Record<ReportColumn['type'], string>> = {
  text: `a text of at most ${MAX_CELL_LENGTH} characters, a number, true or false`,
  number: 'a number',
  percent: 'a number in percent',
  date: 'a date such as 2026-03-01',
  boolean: 'true or false',
}

function isOfType(type: ReportColumn['type'], cell: unknown): boolean {
  switch (type) {
    case 'number':
    case 'percent':
      return typeof cell === 'number' && Number.isFinite(cell)
    case 'boolean':
      return typeof cell === 'boolean'
    case 'date':
      return typeof cell === 'string' && DATE.test(cell) && isCalendarDay(cell)
    case 'text':
      return typeof cell === 'string'
        ? cell.length <= MAX_CELL_LENGTH
        : typeof cell === 'boolean' || (typeof cell === 'number' && Number.isFinite(cell))
  }
}

/** 2026-02-30 would be read as a day of March. */
function isCalendarDay(text: string): boolean {
  const day = new Date(`${text}T00:00:00.000Z`)
  return day.getUTCDate() === Number(text.slice(-2))
}

/** Only the cells of declared columns. */
function pickCells(row: Row, columns: readonly ReportColumn[]): Row {
  const cells: Record<string, ReportCell> = {}
  for (const { key } of columns) {
    const cell = (Object.hasOwn(row, key) ? row[key] : null) ?? null
    // An assignment to this key would set the prototype. Objects without a prototype are slow to read and to write.
    if (key === '__proto__') Object.defineProperty(cells, key, { value: cell, enumerable: true })
    else cells[key] = cell
  }
  return cells
}

const invalid = (message: string): CheckedReport => ({ kind: 'invalid', message: message.slice(0, 500) })

const formatIssue = (issue: { readonly path: readonly PropertyKey[]; readonly message: string } | undefined): string =>
  issue === undefined ? 'The report is invalid.' : `${issue.path.map(String).join('.') || 'report'}: ${issue.message}`
