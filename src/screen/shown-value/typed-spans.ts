import { MAX_BOOLEAN_WORD, readBooleanWord } from './boolean-words.ts'
import { readCalendarNames, readWeekday } from './calendar-names.ts'
import { isSameCurrency, readCurrency } from './currencies.ts'
import type { DateReading, DateToken, Span } from './dates.ts'
import { normalizeLabel } from './normalize.ts'
import type { NumberReading, NumberToken } from './numbers.ts'
import type { ScannedLabel } from './scanned-label.ts'
import { type TimeToken, toHourOfDay } from './times.ts'
import type { NumberValue, ShownValue } from './value.ts'

/** The places where a number stands, whatever its grouping, decimals, currency and unit. */
export function listNumberSpans(label: ScannedLabel, { number, text }: ShownValue): Span[] {
  if (number === undefined) return []
  return label.numbers.flatMap((token) => {
    if (number.is_code) return label.text.slice(token.digits_start, token.end) === text ? [toSpan(token)] : []
    return matchNumber(label, token, number) ?? []
  })
}

/** The place of a number of the label, with its unit, if it is the value. */
export function matchNumber(label: ScannedLabel, token: NumberToken, value: NumberValue): Span | undefined {
  const place = matchDigits(label, token, value)
  if (place === undefined || value.unit === '') return place
  if (value.unit === '%') return token.percent ? place : undefined
  if (readCurrency(value.unit) !== undefined) {
    const { currency } = token
    if (currency === undefined || !isSameCurrency(currency.text, value.unit)) return undefined
    return { start: Math.min(place.start, currency.start), end: Math.max(place.end, currency.end) }
  }
  const behind = label.folded.slice(token.end, token.end + value.unit.length + 1)
  const gap = behind.startsWith(' ') ? 1 : 0
  if (!behind.startsWith(value.unit, gap)) return undefined
  const end = token.end + gap + value.unit.length
  return /[\p{L}\p{N}]/u.test(label.text[end] ?? '') ? undefined : { start: place.start, end }
}

/** An amount may be shown as spent: `-5.00 €` shows 5. Other numbers need the same sign. */
function matchDigits(label: ScannedLabel, token: NumberToken, { token: value }: NumberValue): Span | undefined {
  const digits = { start: token.digits_start, end: token.end }
  const hasMark = /\D/.test(label.text.slice(token.digits_start, token.end))
  // The less likely reading of the value needs a mark in the label too.
  const wanted = hasMark ? value.readings : value.readings.slice(0, 1)
  const negative = value.readings[0]?.digits.startsWith('-') === true
  const isShown = (sign: string) =>
    wanted.some((one) => token.readings.some((other) => isSameNumber(`${sign}${one.digits}`, one, other, token)))
  if (isShown('')) return negative ? toSpan(token) : digits
  return token.currency !== undefined && !negative && isShown('-') ? digits : undefined
}

/** `5.000` may be five thousand: it shows a five only if the value has three decimals too. */
function isSameNumber(digits: string, wanted: NumberReading, shown: NumberReading, { readings }: NumberToken): boolean {
  if (digits !== shown.digits) return false
  return readings.length === 1 || shown.decimals === 0 || wanted.decimals === shown.decimals
}

/** The places where a date stands, with its weekday; `today` adds words like tomorrow. */
export function listDateSpans(label: ScannedLabel, value: ShownValue, today: string | undefined): Span[] {
  const { date, time } = value
  if (date === undefined) return []
  const dates = label.dates.filter((token) => isSameDate(token, date)).map(toSpan)
  const places = [...dates, ...listRelativeSpans(label, date, today)]
  if (time === undefined) return places
  const times = label.times.filter((token) => isSameTime(token, time))
  return places.flatMap((place) => findNear(times, place).flatMap((token) => joinSpans(label.text, place, token) ?? []))
}

/** The last time before a place and the first one behind it. */
function findNear(times: readonly TimeToken[], { start, end }: Span): TimeToken[] {
  let [low, high] = [0, times.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((times[middle]?.start ?? 0) < end) low = middle + 1
    else high = middle
  }
  return [times[low - 1], times[low]].flatMap((token) =>
    token === undefined || overlaps(token, start, end) ? [] : [token],
  )
}

function overlaps(token: Span, start: number, end: number): boolean {
  return token.start < end && token.end > start
}

/** Date and time belong together if little and no digit stands between them. */
function joinSpans(text: string, one: Span, other: Span): Span | undefined {
  const [first, second] = one.start < other.start ? [one, other] : [other, one]
  const distance = second.start - first.end
  if (distance < 0 || distance > MAX_DISTANCE || /[\p{Nd}\n]/u.test(text.slice(first.end, second.start)))
    return undefined
  return { start: first.start, end: second.end }
}

const MAX_DISTANCE = 12

export function isSameDate(token: DateToken, value: DateToken): boolean {
  return token.readings.some((reading) => value.readings.some((other) => isSameReading(reading, other, token)))
}

function isSameReading(shown: DateReading, wanted: DateReading, { weekdays }: DateToken): boolean {
  const { month, day } = shown
  const year = shown.year ?? wanted.year
  if (month !== wanted.month || day !== wanted.day || (wanted.year ?? year) !== year) return false
  return weekdays === undefined || year === undefined || weekdays.has(readWeekday(year, month, day))
}

function listRelativeSpans(label: ScannedLabel, { readings }: DateToken, today: string | undefined): Span[] {
  const now = today === undefined ? Number.NaN : Date.parse(today.slice(0, 10))
  const offsets = readings.map(({ year, month, day }) => (Date.UTC(year ?? 0, month - 1, day) - now) / DAY_MS)
  const words = offsets.flatMap((offset) => readCalendarNames().relative_days.get(offset) ?? [])
  if (words.length === 0) return []
  const pattern = new RegExp(words.map((word) => normalizeLabel(word).toLowerCase()).join('|'), 'gu')
  return Array.from(label.folded.matchAll(pattern), ({ 0: word, index }) => ({
    start: index,
    end: index + word.length,
  }))
    .filter(({ start }) => label.edges.starts[start] === 1)
    .filter(({ end }) => label.edges.ends[end] === 1 || isFollowedByTime(label, end))
}

const DAY_MS = 86_400_000

/** `Tomorrow at 7:05` */
function isFollowedByTime({ times, text }: ScannedLabel, end: number): boolean {
  const isNear = findNear(times, { start: end, end }).some(({ start }) => start >= end && start - end <= MAX_DISTANCE)
  return isNear && !/\p{L}/u.test(text[end] ?? '')
}

export function listTimeSpans(label: ScannedLabel, { date, time }: ShownValue): Span[] {
  if (time === undefined || date !== undefined) return []
  return label.times.filter((token) => isSameTime(token, time)).map(toSpan)
}

/** A time without a half is of 24 hours. Seconds may be left out if they are zero. */
function isSameTime(shown: TimeToken, wanted: TimeToken): boolean {
  const hour = toHourOfDay(shown.hour, shown.half)
  return (
    hour === toHourOfDay(wanted.hour, wanted.half) && shown.minute === wanted.minute && shown.second === wanted.second
  )
}

/** The parts of the label that are a word for the boolean. */
export function listBooleanSpans(label: ScannedLabel, { boolean }: ShownValue): Span[] {
  if (boolean === undefined) return []
  const { starts, ends } = label.edges
  const spans: Span[] = []
  for (let start = 0; start < label.text.length; start++) {
    if (starts[start] !== 1) continue
    for (let end = start + 1; end <= Math.min(label.text.length, start + MAX_BOOLEAN_WORD); end++) {
      if (ends[end] !== 1 || readBooleanWord(label.folded.slice(start, end)) !== boolean) continue
      spans.push({ start, end })
      break
    }
  }
  return spans
}

function toSpan({ start, end }: Span): Span {
  return { start, end }
}
