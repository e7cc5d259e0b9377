import { addDays, findWeekStart, formatDay, readWeek, toDay, toMonday } from './local-date.ts'

export type PeriodMode = 'month' | 'week'

/** The canonical value of a period. Both days are included. */
export interface Period {
  readonly mode: PeriodMode
  readonly start: string
  readonly end: string
  readonly label: string
}

/** Months outside 1 to 12 are carried over to the year. */
export function toMonth(year: number, month: number): Period {
  const first = toDay(year, month, 1)
  const last = toDay(year, month + 1, 0)
  return { mode: 'month', start: formatDay(first), end: formatDay(last), label: formatDay(first).slice(0, 7) }
}

/** The month of a day from its first day to that day. */
export function toMonthToDate(today: Date): Period {
  const { start, label } = toMonth(today.getUTCFullYear(), today.getUTCMonth() + 1)
  return { mode: 'month', start, end: formatDay(today), label: `${label} to ${formatDay(today)}` }
}

/** Undefined if the year has no such week. */
export function toWeek(year: number, week: number): Period | undefined {
  const start = findWeekStart(year, week)
  return start && toWeekAround(start)
}

/** The week that a day is in. */
export function toWeekAround(day: Date): Period {
  const start = toMonday(day)
  const { year, week } = readWeek(start)
  const label = `${year}-W${String(week).padStart(2, '0')}`
  return { mode: 'week', start: formatDay(start), end: formatDay(addDays(start, 6)), label }
}
