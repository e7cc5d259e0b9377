/** Days of the calendar without a time, as UTC midnights. */

const DAY_MS = 86_400_000

const formats = new Map<string, Intl.DateTimeFormat>()

export const isTimeZone = (name: string): boolean => {
  try {
    return readFormat(name) !== undefined
  } catch {
    return false
  }
}

/** Zones come from settings and manifests, of which there are few. */
function readFormat(time_zone: string): Intl.DateTimeFormat {
  const known = formats.get(time_zone)
  if (known !== undefined) return known
  const parts = { year: 'numeric', month: '2-digit', day: '2-digit' } as const
  const format = new Intl.DateTimeFormat('en-CA', { timeZone: time_zone, ...parts })
  formats.set(time_zone, format)
  return format
}

/** The day that a moment is in a time zone. */
export function toLocalDay(now: Date, time_zone: string): Date {
  const parts = new Map(
    readFormat(time_zone)
      .formatToParts(now)
      .map(({ type, value }) => [type, Number(value)]),
  )
  return toDay(parts.get('year') ?? 0, parts.get('month') ?? 0, parts.get('day') ?? 0)
}

/** Months and days may be out of range, as for `Date`. Months count from 1. */
export const toDay = (year: number, month: number, day: number): Date => new Date(Date.UTC(year, month - 1, day))

export const addDays = (day: Date, count: number): Date => new Date(day.getTime() + count * DAY_MS)

export const formatDay = (day: Date): string => day.toISOString().slice(0, 10)

/** The Monday of a week of ISO 8601. Undefined if the year has no such week. */
export function findWeekStart(year: number, week: number): Date | undefined {
  // 4 January is always in the first week.
  const first = toMonday(toDay(year, 1, 4))
  const start = addDays(first, (week - 1) * 7)
  return readWeek(start).year === year && week >= 1 ? start : undefined
}

export const toMonday = (day: Date): Date => addDays(day, -((day.getUTCDay() + 6) % 7))

/** The week of ISO 8601 that a day is in. The Thursday of a week decides its year. */
export function readWeek(day: Date): { readonly year: number; readonly week: number } {
  const thursday = addDays(toMonday(day), 3)
  const year = thursday.getUTCFullYear()
  const week = Math.floor((thursday.getTime() - toDay(year, 1, 1).getTime()) / (7 * DAY_MS)) + 1
  return { year, week }
}
