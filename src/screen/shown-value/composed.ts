import { readCalendarNames } from './calendar-names.ts'
import { isSameCurrency } from './currencies.ts'
import type { DateReading, DateToken, Span } from './dates.ts'
import { chooseSpans, type ExplainedSpan, type Explanation, listExplainedSpans, toExplanation } from './explain.ts'
import { normalizeLabel } from './normalize.ts'
import type { NumberToken } from './numbers.ts'
import { type ScannedLabel, scanLabel } from './scanned-label.ts'
import type { ShownAs } from './shown-value.ts'
import { listTextSpans } from './text-spans.ts'
import { type Half, readHalf, type TimeToken, toHourOfDay } from './times.ts'
import { matchNumber } from './typed-spans.ts'
import { readValue, type ShownValue } from './value.ts'

/** An input with its value in all forms that compositions need. */
interface Piece {
  readonly input: string
  readonly value: ShownValue
  /** A whole number without sign, unit or decimals. */
  readonly integer: number | undefined
  readonly half: Half | undefined
  readonly months: ReadonlySet<number>
}

/** Several inputs at one place of the label. */
interface Composition {
  readonly spans: readonly ExplainedSpan[]
  readonly also: readonly string[]
}

/**
 * Explains places that several inputs make together: hour, minute and half of the day; day, month and year; amount and
 * currency; two names beside each other. What is left of the label is explained as in `explainText`. Undefined if no
 * place is composed.
 */
export function explainComposed(
  label: string,
  values: ReadonlyMap<string, string>,
  today?: string,
): Explanation | undefined {
  const scanned = scanLabel(label)
  const pieces = [...values].flatMap(([input, value]) => toPiece(input, value) ?? [])
  const compositions: Composition[] = []
  const used = new Set<string>()
  for (const find of listFinders(scanned)) {
    const found = find(pieces.filter(({ input }) => !used.has(input)))
    if (found === undefined || compositions.some((other) => isOverlapping(found, other))) continue
    compositions.push(found)
    for (const { input } of found.spans) used.add(input)
    for (const input of found.also) used.add(input)
  }
  if (compositions.length === 0) return undefined
  const chosen = compositions.flatMap(({ spans }) => spans)
  const rest = new Map([...values].filter(([input]) => !used.has(input)))
  const spans = chooseSpans(scanned, listExplainedSpans(scanned, rest, today), chosen)
  return toExplanation(scanned, spans, {
    also: compositions.flatMap(({ also }) => also),
    places: compositions.map(toPlace),
  })
}

/** From the first to the last of its spans. */
function toPlace({ spans }: Composition): Span {
  return { start: spans[0]?.start ?? 0, end: spans.at(-1)?.end ?? 0 }
}

function isOverlapping(one: Composition, other: Composition): boolean {
  const [a, b] = [toPlace(one), toPlace(other)]
  return a.start < b.end && b.start < a.end
}

type Finder = (pieces: readonly Piece[]) => Composition | undefined

/** What to look for, from left to right. Names come last, because they have no token of their own. */
function listFinders(label: ScannedLabel): Finder[] {
  const tokens = [
    ...label.times.map((token) => ({ start: token.start, find: (all: readonly Piece[]) => composeTime(token, all) })),
    ...label.dates.map((token) => ({ start: token.start, find: (all: readonly Piece[]) => composeDate(token, all) })),
    ...label.numbers.map((token) => ({
      start: token.start,
      find: (all: readonly Piece[]) => composeAmount(label, token, all),
    })),
  ].toSorted((a, b) => a.start - b.start)
  return [...tokens.map(({ find }) => find), (all) => composeNames(label, all)]
}

function toPiece(input: string, written: string): Piece | undefined {
  const value = readValue(written)
  if (value === undefined) return undefined
  const months = readCalendarNames().months.get(value.folded.replace(/\.$/, '')) ?? new Set<number>()
  const integer = /^\p{Nd}{1,4}$/u.test(value.text) ? value.number?.token.value : undefined
  return { input, value, integer, half: readHalf(value.text), months }
}

/** Hour and minute, with the half if an input has one: 7 and 5 and PM are shown by `7:05 PM`, `07:05` and `19:05`. */
function composeTime(token: TimeToken, pieces: readonly Piece[]): Composition | undefined {
  const { minute_span: minuteSpan, half_span: halfSpan } = token
  if (minuteSpan === undefined) return undefined
  for (const hour of rankPieces(pieces, HOUR_NAME)) {
    const half = pieces.find((piece) => piece.half !== undefined)
    if (hour.integer === undefined || !isHourShown(token, hour.integer, half?.half)) continue
    const minute = rankPieces(pieces, MINUTE_NAME).find((one) => one !== hour && one.integer === token.minute)
    if (minute === undefined) continue
    const spans = [
      toSpan(token.hour_span, hour, 'time'),
      toSpan(minuteSpan, minute, 'time'),
      ...(halfSpan !== undefined && half !== undefined ? [toSpan(halfSpan, half, 'time')] : []),
    ]
    return { spans: spans.toSorted((a, b) => a.start - b.start), also: half === undefined ? [] : [half.input] }
  }
  return undefined
}

function isHourShown({ hour, half }: TimeToken, wanted: number, wantedHalf: Half | undefined): boolean {
  if (wanted > 24) return false
  if (wantedHalf === undefined) return hour === wanted || toHourOfDay(hour, half) === wanted
  const hourOfDay = toHourOfDay(wanted, wantedHalf)
  if (half !== undefined) return toHourOfDay(hour, half) === hourOfDay
  return hour === hourOfDay || hour === wanted
}

/** Names only decide which of several inputs with the same number comes first. */
const HOUR_NAME = /hour|stunde|heure|hora|\bora|uur|godzin|timm?|saat|час|時|时|시/iu
const MINUTE_NAME = /min|мин|分|분|dakika/iu
const DAY_NAME = /day|tag|jour|d[ií]a|giorno|dag|dzie|gün|день|日|일/iu
const MONTH_NAME = /month|monat|mois|mes|m[êe]s|maand|miesi|månad|ay|месяц|月|월/iu

function rankPieces(pieces: readonly Piece[], name: RegExp): Piece[] {
  return pieces.toSorted((a, b) => Number(name.test(b.input)) - Number(name.test(a.input)))
}

/** Day and month, with the year if an input has it. The month may be a number or a name in any known language. */
function composeDate(token: DateToken, pieces: readonly Piece[]): Composition | undefined {
  const [first] = token.readings
  for (const reading of token.readings) {
    const places = reading === first ? token : { day: token.month, month: token.day, year: token.year }
    const found = matchDate(reading, places, pieces)
    if (found !== undefined) return found
  }
  return undefined
}

function matchDate(
  { day, month, year }: DateReading,
  places: Pick<DateToken, 'day' | 'month' | 'year'>,
  pieces: readonly Piece[],
): Composition | undefined {
  for (const dayPiece of rankPieces(pieces, DAY_NAME).filter(({ integer }) => integer === day)) {
    const monthPiece = rankPieces(pieces, MONTH_NAME).find(
      (one) => one !== dayPiece && (one.integer === month || one.months.has(month)),
    )
    if (monthPiece === undefined) continue
    const yearPiece = year === undefined ? undefined : pieces.find(({ integer }) => integer === year)
    const spans = [toSpan(places.day, dayPiece, 'date'), toSpan(places.month, monthPiece, 'date')]
    if (yearPiece !== undefined && places.year !== undefined) spans.push(toSpan(places.year, yearPiece, 'date'))
    return { spans: spans.toSorted((a, b) => a.start - b.start), also: [] }
  }
  return undefined
}

function composeAmount(label: ScannedLabel, token: NumberToken, pieces: readonly Piece[]): Composition | undefined {
  const { currency } = token
  if (currency === undefined) return undefined
  const unit = pieces.find(({ value }) => isSameCurrency(currency.text, value.folded))
  if (unit === undefined) return undefined
  for (const amount of pieces) {
    const { number } = amount.value
    if (number === undefined || number.unit !== '' || matchNumber(label, token, number) === undefined) continue
    const sameText = label.folded.slice(currency.start, currency.end) === unit.value.folded
    const spans = [
      toSpan({ start: token.digits_start, end: token.end }, amount, 'number'),
      toSpan(currency, unit, sameText ? 'word' : 'number'),
    ]
    return { spans: spans.toSorted((a, b) => a.start - b.start), also: [] }
  }
  return undefined
}

/** Two texts with only a space or a comma between them: `Ada Lovelace`, `Lovelace, Ada`, `山田太郎`. */
function composeNames(label: ScannedLabel, pieces: readonly Piece[]): Composition | undefined {
  const names = pieces.filter(({ value }) => value.text.length <= MAX_NAME && /^\p{L}/u.test(value.text))
  for (const first of names) {
    for (const last of names) {
      if (first === last) continue
      const found = joinNames(label, first, last)
      if (found !== undefined) return found
    }
  }
  return undefined
}

const MAX_NAME = 60

function joinNames(label: ScannedLabel, first: Piece, last: Piece): Composition | undefined {
  for (const link of [' ', ', ', '']) {
    const joined = readValue(normalizeLabel(`${first.value.text}${link}${last.value.text}`))
    const [place] = joined === undefined ? [] : listTextSpans(label, joined)
    if (place === undefined || place.end - place.start !== joined?.text.length) continue
    if (link === '' && !/\p{Script=Han}|\p{Script=Hangul}/u.test(last.value.text)) continue
    const middle = place.start + first.value.text.length
    return {
      spans: [
        toSpan({ start: place.start, end: middle }, first, 'word'),
        toSpan({ start: middle + link.length, end: place.end }, last, 'word'),
      ],
      also: [],
    }
  }
  return undefined
}

function toSpan({ start, end }: Span, { input }: Piece, shown_as: ShownAs): ExplainedSpan {
  return { start, end, input, shown_as }
}
