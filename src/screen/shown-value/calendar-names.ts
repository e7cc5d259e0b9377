/** Languages in which month names, weekdays, halves of the day and words for today are known. */
export const LANGUAGES = ['en', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'pl', 'sv', 'tr', 'ru', 'ja', 'zh', 'ko'] as const

export interface CalendarNames {
  /** Months 1..12 by folded name. */
  readonly months: ReadonlyMap<string, ReadonlySet<number>>
  /** Weekdays by folded name, 0 is Sunday. */
  readonly weekdays: ReadonlyMap<string, ReadonlySet<number>>
  /** Words for yesterday (-1), today (0) and tomorrow (1). */
  readonly relative_days: ReadonlyMap<number, readonly string[]>
}

/** The names are built once, on first use: formatters are slow to make. */
export function readCalendarNames(): CalendarNames {
  names ??= buildNames()
  return names
}

let names: CalendarNames | undefined

/** English short weekdays are no words of other languages that stand before dates. */
export const ENGLISH_WEEKDAYS: ReadonlySet<string> = new Set(['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'])

export function readWeekday(year: number, month: number, day: number): number {
  return new Date(Date.UTC(year, month - 1, day)).getUTCDay()
}

function buildNames(): CalendarNames {
  const months = new Map<string, Set<number>>()
  const weekdays = new Map<string, Set<number>>()
  const relative = new Map<number, string[]>([-1, 0, 1].map((offset) => [offset, []]))
  for (const language of LANGUAGES) {
    const monthFormats = createMonthFormats(language)
    for (let month = 1; month <= 12; month++) {
      const date = new Date(Date.UTC(2026, month - 1, 12))
      for (const name of readParts(monthFormats, date, 'month')) addName(months, name, month)
    }
    const weekdayFormats = createWeekdayFormats(language)
    for (let weekday = 0; weekday < 7; weekday++) {
      // The first of February 2026 is a Sunday.
      const date = new Date(Date.UTC(2026, 1, 1 + weekday))
      for (const name of readParts(weekdayFormats, date, 'weekday')) addName(weekdays, name, weekday)
    }
    const days = new Intl.RelativeTimeFormat(language, { numeric: 'auto' })
    for (const [offset, words] of relative) words.push(days.format(offset, 'day'))
  }
  addName(months, 'sept', 9)
  return { months, weekdays, relative_days: relative }
}

const WIDTHS = ['long', 'short'] as const

function createMonthFormats(language: string): Intl.DateTimeFormat[] {
  return WIDTHS.flatMap((month) =>
    // The name beside a day has another case in some languages than the name alone.
    [{}, { day: 'numeric' as const }].map(
      (beside) => new Intl.DateTimeFormat(language, { month, timeZone: 'UTC', ...beside }),
    ),
  )
}

function createWeekdayFormats(language: string): Intl.DateTimeFormat[] {
  return WIDTHS.map((weekday) => new Intl.DateTimeFormat(language, { weekday, timeZone: 'UTC' }))
}

function readParts(formats: readonly Intl.DateTimeFormat[], date: Date, type: 'month' | 'weekday'): string[] {
  return formats
    .flatMap((format) => format.formatToParts(date))
    .filter((part) => part.type === type)
    .map((part) => part.value)
}

function addName(names: Map<string, Set<number>>, written: string, index: number): void {
  const name = written.toLowerCase().replace(/(?:\.|-feira)$/, '')
  // Months of Chinese, Japanese and Korean are numbers with a sign behind.
  if (!/^\p{L}[\p{L}\p{M}]*$/u.test(name)) return
  names.set(name, (names.get(name) ?? new Set()).add(index))
}
