import type { AtomList } from './atoms.ts'
import type { Span } from './dates.ts'

export type Half = 'am' | 'pm'

export interface TimeToken extends Span {
  /** As written: 0..24, or 1..12 with a half. */
  readonly hour: number
  readonly minute: number
  readonly second: number
  readonly half: Half | undefined
  readonly hour_span: Span
  readonly minute_span: Span | undefined
  readonly half_span: Span | undefined
}

/** All times of day of a text: `7:05 PM`, `19:05`, `07:05:30`, `7pm`, `7.05 p.m.`, `19h05`, `午後7時05分`. */
export function scanTimes(list: AtomList): TimeToken[] {
  const tokens: TimeToken[] = []
  for (let index = 0; index < list.length;) {
    const found = list.isDigits(index, 1, 2) && !isInside(list, index) ? findTimeAt(list, index) : undefined
    if (found !== undefined) tokens.push(found.token)
    index = found?.next ?? index + 1
  }
  return tokens
}

/** The half that a word or an abbreviation names: `PM`, `p. m.`, `午後`. */
export function readHalf(text: string): Half | undefined {
  const word = text.toLowerCase().replace(/[.\s]/g, '')
  return HALVES.get(word) ?? SWEDISH_HALVES.get(word)
}

/** The hour of 0..23. Undefined if hour and half contradict each other. */
export function toHourOfDay(hour: number, half: Half | undefined): number | undefined {
  if (half === undefined) return hour === 24 ? 0 : hour
  if (hour > 12) return half === 'pm' && hour < 24 ? hour : undefined
  return (hour % 12) + (half === 'pm' ? 12 : 0)
}

interface Found {
  readonly token: TimeToken
  readonly next: number
}

interface Clock {
  readonly minuteAt: number | undefined
  readonly secondAt: number | undefined
  readonly next: number
  /** It is a time only with a half or another sign beside it. */
  readonly needsSign: boolean
}

function isInside(list: AtomList, index: number): boolean {
  return (
    (list.isMark(index - 1, ':.,/') && list.isDigits(index - 2)) || (list.isWord(index - 1) && isLatin(list, index - 1))
  )
}

/** `T` stands before the time in ISO texts. */
function isLatin(list: AtomList, index: number): boolean {
  const { text } = list.at(index)
  return text !== 't' && /^[a-z]/.test(text) && !HALVES.has(text)
}

function findTimeAt(list: AtomList, index: number): Found | undefined {
  const clock = readClock(list, index)
  const before = findHalfBefore(list, index, clock)
  const behind = before === undefined ? findHalfBehind(list, clock) : undefined
  const half = before ?? behind
  if (clock.needsSign && half === undefined && !hasTimeWord(list, index, clock)) return undefined
  const read = (at: number | undefined) => (at === undefined ? 0 : Number(list.at(at).text))
  const [hour, minute, second] = [Number(list.at(index).text), read(clock.minuteAt), read(clock.secondAt)]
  if (hour > 24 || minute > 59 || second > 59) return undefined
  if (toHourOfDay(hour, half?.half) === undefined) return undefined
  const next = behind?.next ?? clock.next
  const start = before?.start ?? list.at(index).start
  const token = {
    start,
    end: behind?.end ?? list.at(clock.next - 1).end,
    hour,
    minute,
    second,
    half: half?.half,
    hour_span: toSpan(list.at(index)),
    minute_span: clock.minuteAt === undefined ? undefined : toSpan(list.at(clock.minuteAt)),
    half_span: half && toSpan(half),
  }
  return { token, next }
}

function readClock(list: AtomList, index: number): Clock {
  if (list.isMark(index + 1, ':') && list.isDigits(index + 2, 2, 2)) return readColonClock(list, index)
  if (list.isMark(index + 1, '.') && list.isDigits(index + 2, 2, 2) && !list.isMark(index + 3, '.,')) {
    return { minuteAt: index + 2, secondAt: undefined, next: index + 3, needsSign: true }
  }
  const unit = list.skipSpace(index + 1)
  const sign = list.at(unit).text
  const minuteAt = list.skipSpace(unit + 1)
  if (/^[時时点點시]$/.test(sign)) {
    const hasMinute = list.isDigits(minuteAt, 1, 2) && /^[分분]/.test(list.at(minuteAt + 1).text)
    if (!hasMinute) return { minuteAt: undefined, secondAt: undefined, next: unit + 1, needsSign: false }
    return { minuteAt, secondAt: undefined, next: minuteAt + 2, needsSign: false }
  }
  if (sign === 'h' && list.isDigits(minuteAt, 2, 2)) {
    return { minuteAt, secondAt: undefined, next: minuteAt + 1, needsSign: false }
  }
  return { minuteAt: undefined, secondAt: undefined, next: index + 1, needsSign: true }
}

function readColonClock(list: AtomList, index: number): Clock {
  const hasSecond = list.isMark(index + 3, ':') && list.isDigits(index + 4, 2, 2)
  if (!hasSecond) return { minuteAt: index + 2, secondAt: undefined, next: index + 3, needsSign: false }
  const hasFraction = list.isMark(index + 5, '.') && list.isDigits(index + 6)
  return { minuteAt: index + 2, secondAt: index + 4, next: index + (hasFraction ? 7 : 5), needsSign: false }
}

/** `19.05 Uhr`, `kl. 19.05`. Without minutes it is no time: `7 o'clock`. */
function hasTimeWord(list: AtomList, index: number, { minuteAt, next }: Clock): boolean {
  if (minuteAt === undefined) return false
  const before = list.skipSpaceBack(index - 1)
  const word = list.isMark(before, '.') ? before - 1 : before
  return list.at(list.skipSpace(next)).text === 'uhr' || list.at(word).text === 'kl'
}

interface FoundHalf extends Span {
  readonly half: Half
  readonly next: number
}

function findHalfBehind(list: AtomList, { minuteAt, next }: Clock): FoundHalf | undefined {
  const at = list.skipSpace(next)
  const { text, start, end } = list.at(at)
  const half = HALVES.get(text) ?? (minuteAt === undefined ? undefined : SWEDISH_HALVES.get(text))
  if (half !== undefined && list.isWord(at)) return { half, start, end, next: at + 1 }
  if (text !== 'a' && text !== 'p') return undefined
  if (!list.isMark(at + 1, '.')) return undefined
  const second = list.skipSpace(at + 2)
  if (list.at(second).text !== 'm') return undefined
  const last = list.isMark(second + 1, '.') ? second + 1 : second
  return { half: text === 'a' ? 'am' : 'pm', start, end: list.at(last).end, next: last + 1 }
}

/** Latin letters before a lone number are no half: `am 12. März`. */
function findHalfBefore(list: AtomList, index: number, { needsSign }: Clock): (Span & { half: Half }) | undefined {
  const at = list.skipSpaceBack(index - 1)
  const { text, end } = list.at(at)
  if (!list.isWord(at)) return undefined
  for (const [word, half] of LEADING_HALVES) {
    const isLatinWord = /^[a-zö]/.test(word)
    if (isLatinWord ? text !== word || needsSign : !text.endsWith(word)) continue
    if (toHourOfDay(Number(list.at(index).text), half) === undefined) continue
    return { half, start: end - word.length, end }
  }
  return undefined
}

const LEADING_HALVES: readonly (readonly [string, Half])[] = [
  ['öö', 'am'],
  ['ös', 'pm'],
  ['午前', 'am'],
  ['午後', 'pm'],
  ['上午', 'am'],
  ['下午', 'pm'],
  ['오전', 'am'],
  ['오후', 'pm'],
  ['am', 'am'],
  ['pm', 'pm'],
]

const HALVES: ReadonlyMap<string, Half> = new Map(LEADING_HALVES)
/** `em` is also a word of Portuguese. */
const SWEDISH_HALVES: ReadonlyMap<string, Half> = new Map([
  ['fm', 'am'],
  ['em', 'pm'],
])

function toSpan({ start, end }: Span): Span {
  return { start, end }
}
