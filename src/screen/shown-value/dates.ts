import type { AtomList } from './atoms.ts'
import { ENGLISH_WEEKDAYS, readCalendarNames, readWeekday } from './calendar-names.ts'

export interface Span {
  readonly start: number
  readonly end: number
}

/** One way to read a date. A written date may have two: day first or month first. */
export interface DateReading {
  readonly year: number | undefined
  readonly month: number
  readonly day: number
}

export interface DateToken extends Span {
  readonly readings: readonly DateReading[]
  /** The places of day and month in the first reading; in the second one they are exchanged. */
  readonly day: Span
  readonly month: Span
  readonly year: Span | undefined
  /** May also be a number or a fraction, like `12.03.` or `03/12`. */
  readonly weak: boolean
  /** Weekdays written beside it that the date must agree with. */
  readonly weekdays: ReadonlySet<number> | undefined
}

interface Found extends Omit<DateToken, 'start' | 'end' | 'weekdays'> {
  readonly first: number
  /** The index behind its last atom. */
  readonly next: number
}

/** All dates of a text, from left to right, without overlap. */
export function scanDates(list: AtomList): DateToken[] {
  const tokens: DateToken[] = []
  for (let index = 0; index < list.length;) {
    const found = findDateAt(list, index)
    if (found === undefined) {
      index++
      continue
    }
    const token = addWeekday(list, found)
    // A weekday before it may be the one behind the previous date.
    const previous = tokens.at(-1)?.end ?? 0
    tokens.push(token.start < previous ? { ...token, start: list.at(found.first).start } : token)
    index = found.next
  }
  return tokens
}

function findDateAt(list: AtomList, index: number): Found | undefined {
  if (list.isDigits(index, 1, 4)) {
    if (isInsideNumber(list, index)) return undefined
    return findNumericDate(list, index) ?? findSignedDate(list, index) ?? findDayFirst(list, index)
  }
  return list.isWord(index) ? findMonthFirst(list, index) : undefined
}

function isInsideNumber(list: AtomList, index: number): boolean {
  return list.isMark(index - 1, '.,/-:') && list.isDigits(index - 2)
}

/** `2026-03-12`, `12.03.2026`, `3/12/26`, `2026. 3. 12.`, and the weak `12.03.` and `03/12`. */
function findNumericDate(list: AtomList, index: number): Found | undefined {
  const mark = list.at(index + 1).text
  if (!list.isMark(index + 1, './-')) return undefined
  const second = mark === '.' ? list.skipSpace(index + 2) : index + 2
  if (!list.isDigits(second, 1, 2)) return undefined
  const third = mark === '.' ? list.skipSpace(second + 2) : second + 2
  const hasThird = list.at(second + 1).text === mark && list.isDigits(third, 1, 4)
  if (!hasThird) return second === index + 2 ? findDayAndMonth(list, index, second) : undefined
  if (list.isMark(third + 1, './-:') && list.isDigits(third + 2)) return undefined
  const [a, b, c] = [list.at(index), list.at(second), list.at(third)]
  const lengths = `${a.text.length}${b.text.length}${c.text.length}`
  if (/^4[12][12]$/.test(lengths)) return toNumericDate({ first: index, next: third + 1 }, [c, b, a], false)
  const isShortYear = mark === '/' ? /^[12][12]2$/.test(lengths) : mark === '.' && lengths === '222'
  if (!isShortYear && !/^[12][12]4$/.test(lengths)) return undefined
  return toNumericDate({ first: index, next: third + 1 }, [a, b, c], mark !== '.')
}

type Written = Span & { readonly text: string }

function toNumericDate(
  place: { first: number; next: number },
  [day, month, year]: readonly [Written, Written, (Written | undefined)?],
  swappable: boolean,
): Found | undefined {
  const toReading = (d: Written, m: Written) => ({
    year: year && readYear(year.text),
    month: Number(m.text),
    day: Number(d.text),
  })
  const straight = toReading(day, month)
  const swapped = swappable ? toReading(month, day) : straight
  if (isValid(straight)) {
    const readings = isValid(swapped) && swapped.day !== straight.day ? [straight, swapped] : [straight]
    return { ...place, readings, day, month, year, weak: year === undefined }
  }
  if (!isValid(swapped)) return undefined
  return { ...place, readings: [swapped], day: month, month: day, year, weak: year === undefined }
}

function findDayAndMonth(list: AtomList, index: number, second: number): Found | undefined {
  const [a, b, mark] = [list.at(index), list.at(second), list.at(index + 1).text]
  if (a.text.length !== 2 || b.text.length !== 2) return undefined
  const isFollowed = list.isMark(second + 1, './-:,') && list.isDigits(second + 2)
  if (isFollowed) return undefined
  if (mark === '.' && list.isMark(second + 1, '.')) {
    return toNumericDate({ first: index, next: second + 2 }, [a, b], false)
  }
  const isPadded = a.text.startsWith('0') || b.text.startsWith('0')
  return mark === '/' && isPadded ? toNumericDate({ first: index, next: second + 1 }, [a, b], true) : undefined
}

/** `2026年3月12日`, `3月12日`, `2026년 3월 12일`. */
function findSignedDate(list: AtomList, index: number): Found | undefined {
  const hasYear = list.isDigits(index, 4, 4) && /^[年년]$/.test(list.at(index + 1).text)
  const monthAt = hasYear ? list.skipSpace(index + 2) : index
  if (!list.isDigits(monthAt, 1, 2) || !/^[月월]$/.test(list.at(monthAt + 1).text)) return undefined
  const dayAt = list.skipSpace(monthAt + 2)
  if (!list.isDigits(dayAt, 1, 2) || !/^[日일号號]/.test(list.at(dayAt + 1).text)) return undefined
  const year = hasYear ? list.at(index) : undefined
  const found = toNumericDate({ first: index, next: dayAt + 2 }, [list.at(dayAt), list.at(monthAt), year], false)
  return found && { ...found, weak: false }
}

/** `12 Mar 2026`, `12. März`, `12 de marzo de 2026`, `1er mars`. */
function findDayFirst(list: AtomList, index: number): Found | undefined {
  if (!list.isDigits(index, 1, 2)) return undefined
  let at = index + 1
  if (list.isMark(at, '.ºª°') || ORDINALS.has(list.at(at).text)) at++
  at = skipLink(list, list.skipSpace(at))
  const month = readMonth(list, at)
  if (month === undefined) return undefined
  return toNamedDate(list, { first: index, dayAt: index, monthAt: at, behind: skipDot(list, at + 1) }, month)
}

/** `March 12`, `Mar. 12th, 2026`. */
function findMonthFirst(list: AtomList, index: number): Found | undefined {
  const month = readMonth(list, index)
  if (month === undefined) return undefined
  const dayAt = list.skipSpace(skipDot(list, index + 1))
  if (dayAt === index + 1 || !list.isDigits(dayAt, 1, 2)) return undefined
  // `mar 12 mars`: the first word is a weekday.
  if (findDayFirst(list, dayAt) !== undefined) return undefined
  if (list.isMark(dayAt + 1, ':.,') && list.isDigits(dayAt + 2)) return undefined
  const behind = ORDINALS.has(list.at(dayAt + 1).text) ? dayAt + 2 : dayAt + 1
  return toNamedDate(list, { first: index, dayAt, monthAt: index, behind }, month)
}

const ORDINALS: ReadonlySet<string> = new Set(['st', 'nd', 'rd', 'th', 'er', 'e', 'º', 'ª', 'o'])
const LINKS: ReadonlySet<string> = new Set(['de', 'of', 'del', 'di'])

function toNamedDate(
  list: AtomList,
  { first, dayAt, monthAt, behind }: { first: number; dayAt: number; monthAt: number; behind: number },
  month: number,
): Found | undefined {
  const day = list.at(dayAt)
  const comma = list.isMark(behind, ',') ? behind + 1 : behind
  const yearAt = skipLink(list, list.skipSpace(comma))
  const hasYear =
    yearAt > behind && list.isDigits(yearAt, 4, 4) && !(list.isMark(yearAt + 1, '.,:') && list.isDigits(yearAt + 2))
  const year = hasYear ? list.at(yearAt) : undefined
  const reading = { year: year && Number(year.text), month, day: Number(day.text) }
  if (!isValid(reading)) return undefined
  const next = hasYear ? yearAt + 1 : behind
  return { first, next, readings: [reading], day, month: list.at(monthAt), year, weak: false }
}

function readMonth(list: AtomList, index: number): number | undefined {
  if (!list.isWord(index)) return undefined
  const months = readCalendarNames().months.get(list.at(index).text)
  return months?.size === 1 ? [...months][0] : undefined
}

function skipDot(list: AtomList, index: number): number {
  return list.isMark(index, '.') ? index + 1 : index
}

function skipLink(list: AtomList, index: number): number {
  return LINKS.has(list.at(index).text) && list.at(index + 1).kind === 'space' ? index + 2 : index
}

function readYear(text: string): number {
  return text.length === 2 ? 2000 + Number(text) : Number(text)
}

function isValid({ year, month, day }: DateReading): boolean {
  if (month < 1 || month > 12 || day < 1) return false
  return day <= new Date(Date.UTC(year ?? 2024, month, 0)).getUTCDate()
}

/** Adds a weekday before or behind the date to its place. */
function addWeekday(list: AtomList, { first, next, ...found }: Found): DateToken {
  const token = { ...found, start: list.at(first).start, end: list.at(next - 1).end }
  const before = findWeekday(list, first, -1)
  if (before !== undefined && agrees(token.readings, before)) {
    return { ...token, start: before.start, weekdays: before.days }
  }
  const behind = findWeekday(list, next, 1) ?? findGluedWeekday(list, next - 1)
  if (behind !== undefined && agrees(token.readings, behind)) {
    return { ...token, end: Math.max(behind.end, token.end), weekdays: behind.days }
  }
  return { ...token, weekdays: undefined }
}

interface Weekday extends Span {
  readonly days: ReadonlySet<number>
  /** Its word means nothing else. */
  readonly certain: boolean
}

/** A certain weekday belongs to the date in any case, so that a date that contradicts it is not shown. */
function agrees(readings: readonly DateReading[], { days, certain }: Weekday): boolean {
  return (
    certain || readings.some(({ year, month, day }) => year !== undefined && days.has(readWeekday(year, month, day)))
  )
}

function findWeekday(list: AtomList, from: number, step: 1 | -1): Weekday | undefined {
  let at = step === -1 ? from - 1 : from
  let marked = false
  for (let skipped = 0; skipped < 3 && !list.isWord(at); skipped++) {
    if (list.at(at).kind !== 'space' && !list.isMark(at, ',.()')) return undefined
    marked ||= list.isMark(at, ',.()')
    at += step
  }
  if (list.at(at).text === 'feira' && list.isMark(at - 1, '-')) at -= 2
  const atom = list.at(at)
  const days = list.isWord(at) ? readCalendarNames().weekdays.get(atom.text) : undefined
  if (days === undefined) return undefined
  return { days, certain: marked || atom.text.length >= 4 || ENGLISH_WEEKDAYS.has(atom.text), ...toSpan(atom) }
}

/** `12日周四`. */
function findGluedWeekday(list: AtomList, last: number): Weekday | undefined {
  const { text, start, end } = list.at(last)
  const days = /^[日일号號]/.test(text) ? readCalendarNames().weekdays.get(text.slice(1)) : undefined
  return days && { days, certain: true, start, end }
}

function toSpan({ start, end }: Span): Span {
  return { start, end }
}
