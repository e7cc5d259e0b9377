import { z } from 'zod'

/** The report that the script of a scene returns. It is checked before anything is stored. */

export const MAX_REPORT_ROWS = 100_000
export const MAX_REPORT_COLUMNS = 200
/** As JSON text, in bytes. It is checked in the browser, before the text leaves it. */
export const MAX_REPORT_BYTES = 16 * 1024 * 1024
/** What one cell of an .xlsx file can hold. */
export const MAX_CELL_LENGTH = 32_767

/**
 * text     any text; a text that looks like a formula stays text
 * number   a number
 * percent  a number in percent: 97.5 is shown as 97.5 %
 * date     a text such as 2026-03-01
 * boolean  true or false
 */
export const ReportColumnType = z.enum(['text', 'number', 'percent', 'date', 'boolean'])
export type ReportColumnType = z.infer<typeof ReportColumnType>

export const ReportColumn = z.object({
  key: z.string().min(1).max(120),
  label: z.string().max(200),
  type: ReportColumnType,
})
export type ReportColumn = z.infer<typeof ReportColumn>

export const ReportCell = z.union([z.string(), z.number(), z.boolean(), z.null()])
export type ReportCell = z.infer<typeof ReportCell>

export const ReportSource = z.object({ url: z.string().max(4000), collected_at: z.iso.datetime() })

/** The fields of a report without its rows. */
export const ReportHead = z.object({
  type: z.string().max(80),
  status: z.string().regex(/^[a-z][a-z0-9_]{0,39}$/),
  title: z.string().max(300),
  period: z.string().max(200).nullable(),
  columns: z.array(ReportColumn).max(MAX_REPORT_COLUMNS),
  warnings: z.array(z.string().max(2000)).max(1000),
  source: ReportSource,
})
export type ReportHead = z.infer<typeof ReportHead>

export const ReportArtifact = ReportHead.extend({
  rows: z.array(z.record(z.string(), ReportCell)).max(MAX_REPORT_ROWS).describe('One cell per column key'),
  totals: z.record(z.string(), ReportCell).optional().describe('One cell per column key; the last row of the export'),
}).meta({ id: 'ReportArtifact' })
export type ReportArtifact = z.infer<typeof ReportArtifact>

export const ReportFormat = z.enum(['xlsx', 'csv', 'json'])
export type ReportFormat = z.infer<typeof ReportFormat>

export const REPORT_MEDIA: Readonly<Record<ReportFormat, string>> = {
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  csv: 'text/csv; charset=utf-8',
  json: 'application/json; charset=utf-8',
}
