import type { RunDay, RunFigures } from '@apprentice/contracts/abilities/run-figures.ts'
import type { Reader } from '../../store/db/db.ts'
import { countRunsByDay, type DayCount, findMedianSuccessMs, sumSavedMs } from '../../store/runs/run-figures.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

interface FiguresRequest {
  readonly owner: string
  readonly now: Date
  readonly days: number
  readonly utc_offset_minutes: number
}

/** How the user's runs of the last days ended. */
export function buildRunFigures(reader: Reader, request: FiguresRequest): RunFigures {
  const { owner, now, days, utc_offset_minutes } = request
  const localMs = now.getTime() + utc_offset_minutes * MINUTE_MS
  const todayMs = localMs - (localMs % DAY_MS)
  const firstMs = todayMs - (days - 1) * DAY_MS
  const span = { owner, since: new Date(firstMs - utc_offset_minutes * MINUTE_MS).toISOString() }
  const counts = countRunsByDay(reader, span, utc_offset_minutes)
  const median = findMedianSuccessMs(reader, span)
  return {
    days: Array.from({ length: days }, (_, at) =>
      toRunDay(new Date(firstMs + at * DAY_MS).toISOString().slice(0, 10), counts),
    ),
    ...(median !== undefined && { median_success_ms: median }),
    saved_ms: sumSavedMs(reader, span),
    schema_version: 1,
  }
}

function toRunDay(date: string, counts: readonly DayCount[]): RunDay {
  const read = (state: DayCount['state']): number =>
    counts.find((one) => one.date === date && one.state === state)?.count ?? 0
  return {
    date,
    success: read('success'),
    failed: read('failed'),
    indeterminate: read('indeterminate'),
    cancelled: read('cancelled'),
  }
}
