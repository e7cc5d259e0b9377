import { readFile, rm, stat } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import writeExcelFile from 'write-excel-file/node'
import { MAX_REPORT_BYTES, type ReportArtifact, type ReportFormat } from '@apprentice/contracts/scenes/artifact.ts'
import type { SceneReportSummary } from '@apprentice/contracts/scenes/run.ts'
import { openReportFiles } from '../files/content-files.ts'
import { checkReport, type ReportRules } from '../knowledge/reports/check-report.ts'
import { formatReportCsv } from '../knowledge/reports/report-csv.ts'
import { toFileName, toSheetName } from '../knowledge/reports/report-names.ts'
import { toSheetRows } from '../knowledge/reports/report-sheet.ts'

export interface ReportExport {
  /** The JSON text that the browser wrote. It is removed. */
  readonly result_file: string
  readonly home: string
  readonly rules: ReportRules
}

export interface ExportedFile {
  readonly format: ReportFormat
  readonly file_name: string
  readonly sha256: string
  readonly bytes: number
}

export type ExportedReport =
  | {
      readonly kind: 'report'
      readonly succeeded: boolean
      readonly summary: SceneReportSummary
      readonly files: readonly ExportedFile[]
    }
  | { readonly kind: 'invalid' | 'too_large' | 'not_json'; readonly message: string }

const MAX_WARNINGS = 50
const MIN_WIDTH = 8
const MAX_WIDTH = 40
const CSV_CHUNK = 1000

/** Checks the report that a browser wrote, and stores it in all formats if it is one of success. */
export async function exportReport({ result_file, home, rules }: ReportExport): Promise<ExportedReport> {
  const text = await takeText(result_file)
  if (text === undefined) return { kind: 'too_large', message: `The result is larger than ${MAX_REPORT_BYTES} bytes.` }
  const value = parseJson(text)
  if (value === undefined) return { kind: 'not_json', message: 'The result is not JSON.' }
  const checked = checkReport(value, rules)
  if (checked.kind === 'too_many_rows') return { kind: 'too_large', message: checked.message }
  if (checked.kind === 'invalid') return checked
  const { report, succeeded } = checked
  return {
    kind: 'report',
    succeeded,
    summary: summarizeReport(report),
    files: succeeded ? await storeReport(report, home) : [],
  }
}

async function takeText(file: string): Promise<string | undefined> {
  try {
    const { size } = await stat(file)
    return size > MAX_REPORT_BYTES ? undefined : await readFile(file, 'utf8')
  } finally {
    await rm(file, { force: true })
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

function summarizeReport({ rows, totals: _totals, warnings, ...head }: ReportArtifact): SceneReportSummary {
  return { ...head, warnings: warnings.slice(0, MAX_WARNINGS), row_count: rows.length }
}

async function storeReport(report: ReportArtifact, home: string): Promise<ExportedFile[]> {
  const files = openReportFiles(home)
  const name = toFileName(report.title, report.period)
  const contents: readonly (readonly [ReportFormat, AsyncIterable<Buffer> | Iterable<Buffer>])[] = [
    ['xlsx', await streamSpreadsheet(report)],
    ['csv', chunkCsv(report)],
    ['json', [Buffer.from(JSON.stringify(report))]],
  ]
  // Together, because most of the time of a small report is waiting for the disk.
  return Promise.all(
    contents.map(async ([format, pieces]) => {
      return { format, file_name: `${name}.${format}`, ...(await files.writePieces(pieces)) }
    }),
  )
}

/** In pieces, which are compressed and written one after the other. */
function streamSpreadsheet(report: ReportArtifact): Promise<Readable> {
  const columns = report.columns.map(({ label, key }) => ({ width: chooseWidth(label, report, key) }))
  const options = { sheet: toSheetName(report.title), stickyRowsCount: 1, columns }
  // The other form writes to a given stream.
  const open = writeExcelFile([...toSheetRows(report)], options).toStream as () => Promise<Readable>
  return open()
}

/** The longest of the first rows, in characters. CJK characters take the room of two. */
function chooseWidth(label: string, { rows }: ReportArtifact, key: string): number {
  const texts = [label, ...rows.slice(0, 100).map((row) => String(row[key] ?? ''))]
  const longest = texts.reduce((most, text) => Math.max(most, measure(text)), 0)
  return Math.min(Math.max(longest + 2, MIN_WIDTH), MAX_WIDTH)
}

const measure = (text: string): number => text.length + (text.match(/[\u2E80-\uFFEF]/g)?.length ?? 0)

function* chunkCsv(report: ReportArtifact): Generator<Buffer> {
  let lines: string[] = []
  for (const line of formatReportCsv(report)) {
    lines.push(line)
    if (lines.length < CSV_CHUNK) continue
    yield Buffer.from(lines.join(''))
    lines = []
  }
  yield Buffer.from(lines.join(''))
}
