import { z } from 'zod'
import { type ReportCell, ReportColumn } from '@apprentice/contracts/scenes/artifact.ts'
import { getSceneReport } from '@apprentice/contracts/scenes/runs.ts'
import { formClient } from '../api/client.ts'
import { useResource } from '../api/resource.ts'
import { ReadFailure, Skeleton } from '../parts/basic.tsx'
import { further } from '../text/further.ts'
import { language } from '../text/text.ts'

/** More would make the page slow. The downloads have everything. */
const LISTED = 200

const Row = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))
const Report = z.object({ columns: z.array(ReportColumn), rows: z.array(z.unknown()), totals: Row.optional() })

interface Table {
  readonly columns: readonly ReportColumn[]
  readonly rows: readonly Readonly<Record<string, ReportCell>>[]
  readonly total: number
  readonly totals: Readonly<Record<string, ReportCell>> | undefined
}

interface ReportTableProps {
  readonly runId: string
  readonly title: string
}

/** The beginning of the table that a run yielded. */
export function ReportTable({ runId, title }: ReportTableProps) {
  const { data, failure, reload } = useResource(runId, () => readTable(runId))
  if (failure.value !== undefined) return <ReadFailure message={failure.value} onRetry={() => void reload()} />
  if (data.value === undefined) return <Skeleton rows={4} />
  const { columns, rows, total, totals } = data.value
  return (
    <>
      <div class="table-scroll" tabIndex={0} role="region" aria-label={title}>
        <table class="data">
          <thead>
            <tr>
              {columns.map(({ key, label, type }) => (
                <th key={key} class={isNumeric(type) ? 'number' : ''} scope="col">
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, at) => (
              <Cells key={at} columns={columns} row={row} />
            ))}
          </tbody>
          {totals !== undefined && (
            <tfoot aria-label={further.scenes.total}>
              <Cells columns={columns} row={totals} />
            </tfoot>
          )}
        </table>
      </div>
      {total > rows.length && <p class="hint">{further.scenes.firstRows(rows.length)}</p>}
    </>
  )
}

interface CellsProps {
  readonly columns: readonly ReportColumn[]
  readonly row: Readonly<Record<string, ReportCell>>
}

const Cells = ({ columns, row }: CellsProps) => (
  <tr>
    {columns.map(({ key, type }) => (
      <td key={key} class={isNumeric(type) ? 'number' : ''}>
        {formatCell(row[key] ?? null, type)}
      </td>
    ))}
  </tr>
)

const isNumeric = (type: ReportColumn['type']): boolean => type === 'number' || type === 'percent'

function formatCell(value: ReportCell, type: ReportColumn['type']): string {
  if (value === null) return ''
  if (typeof value === 'boolean') return value ? further.scenes.yes : further.scenes.no
  if (typeof value === 'string') return value
  const number = value.toLocaleString(language, { maximumFractionDigits: 10 })
  return type === 'percent' ? `${number} %` : number
}

async function readTable(runId: string): Promise<Table> {
  const query = { format: 'json' } as const
  const { bytes } = await formClient.download(getSceneReport, { params: { runId }, query })
  const { columns, rows, totals } = Report.parse(JSON.parse(new TextDecoder().decode(bytes)))
  return { columns, rows: Row.array().parse(rows.slice(0, LISTED)), total: rows.length, totals }
}
