import type { SceneAnalysis, SceneRequest, SceneTable } from '@apprentice/contracts/scenes/analysis.ts'
import type { ReportColumnType } from '@apprentice/contracts/scenes/artifact.ts'
import type { SceneAnswers } from '@apprentice/contracts/scenes/generation.ts'
import { listDataRequests } from '../analysis/open-questions.ts'

/** A column of the report that the script produces. */
export interface ReportColumn {
  /** The key in the report. */
  readonly key: string
  /** The field of a row of the answer. A table in the page has none: its cells are taken in their order. */
  readonly field?: string
  readonly label: string
  readonly type: ReportColumnType
}

/** Where the rows come from. */
export type ReportSource =
  | {
      readonly kind: 'request'
      readonly request: SceneRequest
      readonly rows_path: string
      readonly columns: readonly ReportColumn[]
    }
  | { readonly kind: 'table'; readonly table: SceneTable; readonly columns: readonly ReportColumn[] }

/** The source that the analysis and the answers leave; undefined if they leave none or several. */
export function chooseSource(
  analysis: SceneAnalysis,
  answers: SceneAnswers,
  samples: readonly Record<string, unknown>[],
): ReportSource | undefined {
  const data = listDataRequests(analysis)
  const requests = answers.request === undefined ? data : data.filter(({ url }) => url === answers.request)
  const [request, ...more] = requests
  if (request === undefined) return data.length === 0 ? chooseTable(analysis, answers) : undefined
  const rows_path = answers.rows_path ?? request.rows_path
  const columns = chooseColumns(analysis, answers, samples)
  if (more.length > 0 || rows_path === undefined || columns === undefined) return undefined
  return { kind: 'request', request, rows_path, columns }
}

function chooseTable({ tables }: SceneAnalysis, answers: SceneAnswers): ReportSource | undefined {
  const stored = tables.filter(({ rows, origin }) => rows > 0 && origin === 'html')
  const [table, ...more] =
    answers.table === undefined ? stored : stored.filter((one) => one === tables[answers.table ?? 0])
  if (table === undefined || more.length > 0) return undefined
  const columns = table.columns.map(({ label }, at) => ({
    key: toColumnKey(label, at),
    label,
    type: inferType(
      label,
      table.sample.map((cells) => cells[at]),
    ),
  }))
  return { kind: 'table', table, columns }
}

function chooseColumns(
  { tables }: SceneAnalysis,
  answers: SceneAnswers,
  samples: readonly Record<string, unknown>[],
): ReportColumn[] | undefined {
  if (answers.columns !== undefined) {
    return answers.columns.map(({ key, label, type }, at) => ({ key: toColumnKey(key, at), field: key, label, type }))
  }
  const complete = tables.filter(({ columns }) => columns.length > 0 && columns.every(({ key }) => key !== undefined))
  const [table, ...more] =
    answers.table === undefined ? complete : complete.filter((one) => one === tables[answers.table ?? 0])
  if (table === undefined || more.length > 0) return undefined
  return table.columns.map(({ key = '', label }, at) => ({
    key: toColumnKey(key, at),
    field: key,
    label,
    type: inferType(
      label,
      samples.map((row) => readField(row, key)),
    ),
  }))
}

const readField = (row: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((value, key) => (value as Record<string, unknown> | null | undefined)?.[key], row)

/** A key of plain letters. A label without any is named by its place. */
function toColumnKey(text: string, at: number): string {
  const plain = text
    .replaceAll('.', '_')
    .split(/[^A-Za-z0-9_]+/)
    .filter(Boolean)
    .join('_')
  const isKey = /^[A-Za-z][A-Za-z0-9_]{0,63}$/.test(plain) && !['constructor', 'prototype'].includes(plain)
  return isKey ? (/[A-Z]/.test(plain) && plain.includes('_') ? plain.toLowerCase() : plain) : `column_${at + 1}`
}

/** The type that all samples have. Without samples it is text, which loses nothing. */
export function inferType(label: string, samples: readonly unknown[]): ReportColumnType {
  const values = samples.filter((value) => value !== undefined && value !== null && value !== '' && value !== '-')
  if (values.length === 0) return 'text'
  if (values.every((value) => typeof value === 'boolean')) return 'boolean'
  if (values.every((value) => isDay(value))) return 'date'
  // A number with a leading zero is an identifier.
  if (!values.every((value) => isNumeric(value))) return 'text'
  return label.includes('%') || label.includes('率') ? 'percent' : 'number'
}

const isDay = (value: unknown): boolean => typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value)

function isNumeric(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'string') return false
  const plain = value.replaceAll(',', '').replace('%', '').trim()
  return plain !== '' && Number.isFinite(Number(plain)) && !/^0\d/.test(plain) && plain.length < 16
}
