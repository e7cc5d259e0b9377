import type { ReportArtifact, ReportCell, ReportColumnType } from '@apprentice/contracts/scenes/artifact.ts'
import { LONE_SURROGATE } from './report-names.ts'

/** A cell of a spreadsheet. A value without a format stands for itself. */
export type SheetCell = StyledCell | string | number | boolean | null

interface StyledCell {
  readonly value: string | number | boolean | Date
  readonly type: StringConstructor | NumberConstructor | BooleanConstructor | DateConstructor
  readonly format?: string
  readonly fontWeight?: 'bold'
}

const PERCENT = 100
/** Digits that a floating-point number holds exactly. */
const EXACT_DIGITS = 15
/** A text without anything that is removed, which most texts are. */
const PLAIN = /^[\t\n\r\x20-\x7E\xA0-\uD7FF\uE000-\uFFFD]*$/
/** What XML cannot contain. */
const NOT_IN_XML = /[^\t\n\r\P{Cc}]|[\uFFFE\uFFFF]/gu

/** The header row, one row per row of the report, and the totals. Every cell has the type of its column. */
export function* toSheetRows({ columns, rows, totals }: ReportArtifact): Generator<SheetCell[]> {
  yield columns.map(({ label }) => ({ value: toCellText(label), type: String, fontWeight: 'bold' }))
  const makers = columns.map(({ key, type }) => ({ key, type }))
  for (const row of rows) yield makers.map(({ key, type }) => toSheetCell(row[key] ?? null, type))
  if (totals === undefined) return
  yield makers.map(({ key, type }) => toBoldCell(toSheetCell(totals[key] ?? null, type)))
}

function toBoldCell(cell: SheetCell): SheetCell {
  if (cell === null) return null
  if (typeof cell === 'object') return { ...cell, fontWeight: 'bold' }
  if (typeof cell === 'string') return { value: cell, type: String, fontWeight: 'bold' }
  if (typeof cell === 'number') return { value: cell, type: Number, fontWeight: 'bold' }
  return { value: cell, type: Boolean, fontWeight: 'bold' }
}

function toSheetCell(cell: ReportCell, type: ReportColumnType): SheetCell {
  if (cell === null || cell === '') return null
  switch (type) {
    case 'number':
    case 'boolean':
      return cell
    case 'percent':
      return { value: Number(((cell as number) / PERCENT).toPrecision(EXACT_DIGITS)), type: Number, format: '0.00%' }
    case 'date':
      return { value: new Date(`${String(cell)}T00:00:00.000Z`), type: Date, format: 'yyyy-mm-dd' }
    case 'text':
      return toCellText(String(cell))
  }
}

/**
 * A text is written as text, so a spreadsheet program calculates nothing of it. The library that writes the file looks texts
 * up in an object, where a text such as "constructor" would be found without having been stored; a space prevents that.
 */
function toCellText(text: string): string {
  const value = PLAIN.test(text) ? text : text.replaceAll(LONE_SURROGATE, '').replaceAll(NOT_IN_XML, '')
  return value in Object.prototype ? `${value} ` : value
}
