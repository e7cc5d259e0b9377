import { normalizeLabel } from '../shown-value/normalize.ts'
import { readCalendarNames } from '../shown-value/calendar-names.ts'
import { scanLabel } from '../shown-value/scanned-label.ts'
import { readValue } from '../shown-value/value.ts'

/** Months are counted from 1. */
export interface CalendarMonth {
  readonly year: number
  readonly month: number
}

export interface CalendarDate extends CalendarMonth {
  readonly day: number
}

/** The number of months from the first month to the second. Negative if the second is earlier. */
export function countMonths(from: CalendarMonth, to: CalendarMonth): number {
  return (to.year - from.year) * 12 + to.month - from.month
}

export function addMonths({ year, month }: CalendarMonth, by: number): CalendarMonth {
  const count = year * 12 + month - 1 + by
  return { year: Math.floor(count / 12), month: (((count % 12) + 12) % 12) + 1 }
}

export function isSameDay(one: CalendarDate, other: CalendarDate): boolean {
  return one.day === other.day && countMonths(one, other) === 0
}

/** `14 March 2026`: the form in which a person reads a date. */
export function formatDate({ year, month, day }: CalendarDate): string {
  return `${day} ${MONTH_NAMES[month - 1] ?? month} ${year}`
}

const MONTH_NAMES = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
] as const

/**
 * Reads a date as somebody asks for it. A day alone is in the shown month; without a year the date nearest to the shown
 * month is meant. Undefined if the words name no date, or more than one: `03/04/2026`.
 */
export function readAskedDate(words: string, shown: CalendarMonth): CalendarDate | undefined {
  const [, only] = DAY_ALONE.exec(normalizeLabel(words).toLowerCase()) ?? []
  if (only !== undefined) return toValid({ ...shown, day: Number(only) })
  const readings = readValue(words)?.date?.readings ?? []
  const [reading] = readings
  if (reading === undefined || readings.length > 1) return undefined
  const { year, month, day } = reading
  if (year !== undefined) return toValid({ year, month, day })
  const years = [shown.year - 1, shown.year, shown.year + 1]
  const distance = (one: number) => Math.abs(countMonths(shown, { year: one, month }))
  const [nearest] = years
    .filter((one) => toValid({ year: one, month, day }) !== undefined)
    .toSorted((a, b) => distance(a) - distance(b))
  return nearest === undefined ? undefined : { year: nearest, month, day }
}

/** Whether a date is asked for by its day only. */
export const isDayAlone = (text: string): boolean => DAY_ALONE.test(normalizeLabel(text).toLowerCase())

const DAY_ALONE = /^(?:the |am |le |el |il |day |tag )?([1-9]|0[1-9]|[12]\d|3[01])(?:st|nd|rd|th|\.|º|日|일)?$/u

function toValid(date: CalendarDate): CalendarDate | undefined {
  return date.day <= countDays(date) ? date : undefined
}

export function countDays({ year, month }: CalendarMonth): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate()
}

/** Reads a heading such as `May 2026`, `mai`, `2026年5月`. Undefined if it names a day, or anything else. */
export function readMonthHeading(
  label: string,
): { readonly month: number; readonly year: number | undefined } | undefined {
  const text = normalizeLabel(label).toLowerCase()
  if (text.length > MAX_HEADING) return undefined
  const [, signedYear, signedMonth] = SIGNED.exec(text) ?? []
  if (signedMonth !== undefined) return toHeading(Number(signedMonth), signedYear)
  const numbers = text.match(/\p{Nd}+/gu) ?? []
  const [year] = numbers.filter((one) => YEAR.test(one))
  const words = (text.match(/\p{L}[\p{L}\p{M}]*/gu) ?? []).filter((word) => !LINKS.has(word))
  const months = words.flatMap((word) => {
    const named = readCalendarNames().months.get(word)
    return named?.size === 1 ? [...named] : []
  })
  const [month] = months
  if (months.length === 1 && words.length === 1 && numbers.length === (year === undefined ? 0 : 1)) {
    return toHeading(month ?? 0, year)
  }
  const [, number] = NUMBERED.exec(text) ?? []
  return number === undefined || year === undefined ? undefined : toHeading(Number(number), year)
}

function toHeading(month: number, year: string | undefined) {
  return month >= 1 && month <= 12 ? { month, year: year === undefined ? undefined : Number(year) } : undefined
}

const MAX_HEADING = 32
const YEAR = /^(?:19|20|21)\d{2}$/
const LINKS: ReadonlySet<string> = new Set(['de', 'of', 'del', 'di', 'r', 'г', 'года'])
const SIGNED = /^(?:(\d{4})[年년] ?)?(\d{1,2})[月월]$/u
const NUMBERED = /^(\d{1,2})[./-]\d{4}$/

/** The only date in a label, if it has one. A day may stand before it, as in `18, Monday, May 18, 2026`. */
export function readLabelDate(
  label: string,
): { readonly day: number; readonly month: number; readonly year: number | undefined } | undefined {
  const dates = scanLabel(label).dates.filter(({ weak }) => !weak)
  const [date] = dates
  if (date === undefined || dates.length > 1 || date.readings.length > 1) return undefined
  return date.readings[0]
}
