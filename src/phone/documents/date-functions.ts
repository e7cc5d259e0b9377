/** Dates in expressions are texts such as `2026-03-02`. They have no time zone. */
const DAY_MS = 86_400_000

function parseDate(text: string): Date | undefined {
  const match = /^(\d{4})-(\d{2})-(\d{2})/.exec(text)
  if (match === null) return undefined
  return new Date(Date.UTC(Number(match[1]), Number(match[2]) - 1, Number(match[3])))
}

const formatIsoDate = (date: Date): string => date.toISOString().slice(0, 10)

export function addDays(text: string, days: number): string {
  const date = parseDate(text)
  return date === undefined ? '' : formatIsoDate(new Date(date.getTime() + Math.trunc(days) * DAY_MS))
}

/** Adds months. The 31st becomes the last day of a shorter month. */
export function addMonths(text: string, months: number): string {
  const date = parseDate(text)
  if (date === undefined) return ''
  const first = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + Math.trunc(months), 1))
  const length = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0)).getUTCDate()
  first.setUTCDate(Math.min(date.getUTCDate(), length))
  return formatIsoDate(first)
}

export function countDays(from: string, to: string): number {
  const [start, end] = [parseDate(from), parseDate(to)]
  return start === undefined || end === undefined ? 0 : Math.round((end.getTime() - start.getTime()) / DAY_MS)
}

/** Monday is 1, Sunday is 7. An invalid date is 0. */
export function readWeekday(text: string): number {
  const date = parseDate(text)
  return date === undefined ? 0 : date.getUTCDay() || 7
}

const formatters = new Map<string, Intl.DateTimeFormat>()

function formatPart(date: Date, locale: string, options: Intl.DateTimeFormatOptions): string {
  const key = `${locale} ${JSON.stringify(options)}`
  const known = formatters.get(key) ?? createFormatter(locale, options)
  formatters.set(key, known)
  return known.format(date)
}

function createFormatter(locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const all = { ...options, timeZone: 'UTC' }
  try {
    return new Intl.DateTimeFormat(locale, all)
  } catch {
    return new Intl.DateTimeFormat('en-US', all)
  }
}

type PartFormat = (date: Date, locale: string) => string

const PARTS: Readonly<Record<string, PartFormat>> = {
  d: (date) => String(date.getUTCDate()),
  dd: (date) => String(date.getUTCDate()).padStart(2, '0'),
  EEEEE: (date, locale) => formatPart(date, locale, { weekday: 'narrow' }),
  EEEE: (date, locale) => formatPart(date, locale, { weekday: 'long' }),
  EEE: (date, locale) => formatPart(date, locale, { weekday: 'short' }),
  M: (date) => String(date.getUTCMonth() + 1),
  MM: (date) => String(date.getUTCMonth() + 1).padStart(2, '0'),
  MMM: (date, locale) => formatPart(date, locale, { month: 'short' }),
  MMMM: (date, locale) => formatPart(date, locale, { month: 'long' }),
  yy: (date) => String(date.getUTCFullYear() % 100).padStart(2, '0'),
  yyyy: (date) => String(date.getUTCFullYear()),
}

/** Formats a date by a pattern such as `EEE, d MMM yyyy`. Letters between apostrophes are copied. */
export function formatDate(text: string, pattern: string, locale: string): string {
  const date = parseDate(text)
  if (date === undefined) return ''
  return pattern.replaceAll(/'([^']*)'|([A-Za-z])\2*/g, (token, quoted?: string) =>
    quoted === undefined ? (PARTS[token]?.(date, locale) ?? token) : quoted,
  )
}

/** The first day of the week of a locale, 1 to 7 from Monday. */
export function readFirstWeekday(locale: string): number {
  const region = locale.split('-')[1] ?? ''
  if (['US', 'CA', 'JP', 'KR', 'BR', 'IN', 'IL', 'MX'].includes(region)) return 7
  return ['EG', 'SA', 'AE'].includes(region) ? 6 : 1
}

/** Formats a number with the separators of the locale. */
export function formatNumber(value: number, digits: number, locale: string): string {
  const decimals = Math.min(9, Math.max(0, Math.trunc(digits)))
  const options = { minimumFractionDigits: decimals, maximumFractionDigits: decimals }
  try {
    return value.toLocaleString(locale, options)
  } catch {
    return value.toLocaleString('en-US', options)
  }
}
