import { AtomList } from './atoms.ts'
import { scanCodes } from './codes.ts'
import { readCurrency } from './currencies.ts'
import { scanDates, type Span } from './dates.ts'
import { formatDecimal, type GroupReadings, parseGroups } from './number-groups.ts'
import { scanTimes } from './times.ts'
import { isMultiplier, isUnit } from './units.ts'

export interface ShownNumber extends Span {
  readonly value: number
  /** Digits behind the decimal mark. */
  readonly decimals: number
}

export interface NumberReading {
  /** Digits without needless zeros, with `-` before if negative. */
  readonly digits: string
  readonly decimals: number
}

export interface NumberToken extends ShownNumber {
  /** Where the digits start, behind sign and currency. */
  readonly digits_start: number
  /** The ways to read it; the first is `value`. */
  readonly readings: readonly NumberReading[]
  readonly currency: (Span & { readonly text: string }) | undefined
  readonly percent: boolean
}

/**
 * All numbers of a text with their places: `1,234.50`, `1.234,50`, `1 234,50`, `1'234.50`, with currency, percent, unit
 * or sign, in Western, Arabic-Indic, Persian, Devanagari, Bengali, Thai and full-width digits. Parts of dates, times,
 * phone numbers, versions and ids are none. Both numbers of `5/8`, `5 of 8` and `5-8` are listed.
 */
export function listNumbers(text: string): readonly ShownNumber[] {
  return readNumberTokens(text).map(({ value, start, end, decimals }) => ({ value, start, end, decimals }))
}

/** The number a label shows, or the first one if it shows several. */
export function readNumber(text: string): number | undefined {
  return listNumbers(text)[0]?.value
}

function readNumberTokens(text: string): NumberToken[] {
  if (!/\p{Nd}/u.test(text)) return []
  const list = new AtomList(text)
  const spans: Span[] = [...scanDates(list).filter(({ weak }) => !weak), ...scanTimes(list)]
  return scanNumbers(list, spans)
}

/** The numbers outside of the given dates and times. */
export function scanNumbers(list: AtomList, spans: readonly Span[]): NumberToken[] {
  const taken = markTaken(list, spans)
  for (const { indexes } of scanCodes(list, (index) => taken[index] === true)) {
    for (const index of indexes) taken[index] = true
  }
  const tokens: NumberToken[] = []
  for (let index = 0; index < list.length;) {
    if (!list.isDigits(index) || taken[index] === true) {
      index++
      continue
    }
    const chain = readChain(list, index, (at) => taken[at] === true)
    tokens.push(...splitChain(chain).flatMap((piece) => toToken(list, piece) ?? []))
    index = chain.first + 2 * chain.marks.length + 1
  }
  return tokens
}

function markTaken(list: AtomList, spans: readonly Span[]): boolean[] {
  const taken = Array.from({ length: list.length }, () => false)
  const ordered = spans.toSorted((a, b) => a.start - b.start)
  let at = 0
  list.atoms.forEach(({ start }, index) => {
    while ((ordered[at]?.end ?? Number.MAX_SAFE_INTEGER) <= start) at++
    taken[index] = (ordered[at]?.start ?? Number.MAX_SAFE_INTEGER) <= start
  })
  return taken
}

/** Runs of digits with one character between each two. */
interface Chain {
  readonly first: number
  readonly runs: readonly string[]
  readonly marks: readonly string[]
}

function readChain(list: AtomList, first: number, isTaken: (index: number) => boolean): Chain {
  const runs = [list.at(first).text]
  const marks: string[] = []
  for (let next = first + 2; list.isDigits(next) && !isTaken(next); next += 2) {
    const mark = list.at(next - 1).text
    const isGroup = mark === ' ' && runs.length === marks.length + 1 && isSpaceGroup(list, next, runs, marks)
    if (!isGroup && !list.isMark(next - 1, ".,':/-")) break
    runs.push(list.at(next).text)
    marks.push(mark)
  }
  return { first, runs, marks }
}

/** A space joins digits only before exactly three of them, and not behind another mark. */
function isSpaceGroup(list: AtomList, next: number, runs: readonly string[], marks: readonly string[]): boolean {
  if (!list.isDigits(next, 3, 3) || marks.some((mark) => mark !== ' ')) return false
  return (runs[0] ?? '').length <= 3 && runs[0]?.startsWith('0') !== true
}

/** Splits `5/8` and `18-24`. What is no number has no pieces. */
function splitChain(chain: Chain): Chain[] {
  const { first, runs, marks } = chain
  const cuts = marks.flatMap((mark, index) => (mark === '/' || mark === '-' ? [index] : []))
  const [cut] = cuts
  if (marks.includes(':') || cuts.length > 1) return []
  if (cut === undefined) return [chain]
  const left = { first, runs: runs.slice(0, cut + 1), marks: marks.slice(0, cut) }
  const right = { first: first + 2 * (cut + 1), runs: runs.slice(cut + 1), marks: marks.slice(cut + 1) }
  const isCode = marks[cut] === '-' && left.runs.join('').length >= 3 && right.runs.join('').length >= 4
  return isCode ? [] : [left, right]
}

function toToken(list: AtomList, { first, runs, marks }: Chain): NumberToken | undefined {
  const last = first + 2 * marks.length
  const groups = parseGroups(runs, marks)
  if (groups === undefined || !hasPlainEnd(list, last)) return undefined
  const isPointed = isFractionOnly(list, first) && marks.length === 0
  const prefix = readPrefix(list, isPointed ? first - 1 : first)
  if (prefix === undefined) return undefined
  const currency = prefix.currency ?? findCurrencyBehind(list, last)
  const whole = isPointed ? { primary: { integer: '0', fraction: runs[0] ?? '' }, other: undefined } : groups
  const ordered = orderReadings(whole, currency !== undefined)
  const readings = ordered.map((decimal) => ({
    digits: formatDecimal(decimal, prefix.negative),
    decimals: decimal.fraction.length,
  }))
  const digits_start = list.at(isPointed ? first - 1 : first).start
  return {
    value: Number(readings[0]?.digits),
    start: prefix.start ?? digits_start,
    end: list.at(last).end,
    decimals: readings[0]?.decimals ?? 0,
    digits_start,
    readings,
    currency,
    percent: list.isMark(list.skipSpace(last + 1), '%'),
  }
}

/** Amounts of money rarely have three decimals. */
function orderReadings({ primary, other }: GroupReadings, isMoney: boolean) {
  if (other === undefined) return [primary]
  return isMoney && primary.fraction !== '' ? [other, primary] : [primary, other]
}

/** `.5` */
function isFractionOnly(list: AtomList, index: number): boolean {
  if (!list.isMark(index - 1, '.')) return false
  const { kind, text } = list.at(index - 2)
  return kind === 'space' || text === '' || list.isMark(index - 2, '(+-') || readCurrency(text) !== undefined
}

interface Prefix {
  readonly negative: boolean
  readonly start: number | undefined
  readonly currency: NumberToken['currency']
}

/** Sign and currency before the digits. Undefined if what stands there makes them a part of a word or of an id. */
function readPrefix(list: AtomList, index: number): Prefix | undefined {
  let at = index
  let start: number | undefined
  let sign = readSign(list, at - 1)
  if (sign !== undefined) start = list.at(--at).start
  const currency = findCurrencyBefore(list, at)
  if (currency !== undefined) {
    at = currency.index
    const outer = sign === undefined ? list.skipSpaceBack(at - 1) : at
    if (sign === undefined && readSign(list, outer) !== undefined) {
      sign = readSign(list, outer)
      start = list.at(outer).start
    }
    return { negative: sign === '-', start, currency }
  }
  return isGluedBefore(list, at) ? undefined : { negative: sign === '-', start, currency }
}

/** A dash behind a letter, a digit or a bracket is no sign. */
function readSign(list: AtomList, index: number): string | undefined {
  if (!list.isMark(index, '+-')) return undefined
  const before = list.at(index - 1)
  const isBound = before.kind === 'word' || before.kind === 'digits' || list.isMark(index - 1, ')]%+-_')
  return isBound && readCurrency(before.text, list.readOriginal(before)) === undefined ? undefined : list.at(index).text
}

function findCurrencyBefore(list: AtomList, index: number) {
  const spaced = list.skipSpaceBack(index - 1)
  // `Rs. 500`
  const at = list.isMark(spaced, '.') && list.isWord(spaced - 1) ? spaced - 1 : spaced
  const atom = list.at(at)
  if (atom.text === '' || readCurrency(atom.text, list.readOriginal(atom)) === undefined) return undefined
  // `US$`
  const country = list.at(at - 1)
  if (atom.kind === 'mark' && country.kind === 'word' && country.text.length <= 3) {
    return { index: at - 1, start: country.start, end: atom.end, text: `${country.text}${atom.text}` }
  }
  return { index: at, start: atom.start, end: atom.end, text: atom.text }
}

function findCurrencyBehind(list: AtomList, last: number): NumberToken['currency'] {
  const atom = list.at(list.skipSpace(last + 1))
  if (atom.text === '' || readCurrency(atom.text, list.readOriginal(atom)) === undefined) return undefined
  return { start: atom.start, end: atom.end, text: atom.text }
}

function isGluedBefore(list: AtomList, index: number): boolean {
  const { kind, text } = list.at(index - 1)
  if (kind === 'word') return text !== 'x' && !isUnspaced(text.at(-1) ?? '')
  if (list.isMark(index - 1, '_@\\') || isRaised(text)) return true
  const mask = list.skipSpaceBack(index - 1)
  if (list.isMark(mask, MASKS) && list.isMark(mask - 1, MASKS)) return true
  if (list.isMark(index - 1, '-/=&') && list.isWord(index - 2)) return true
  return list.isMark(index - 1, '.') && list.isWord(index - 2) && !NUMBER_WORDS.has(list.at(index - 2).text)
}

/** They hide the digits before: `•••• 1234`. */
const MASKS = '\u2022\u25cf\u2219\u00b7*.'

/** Superscripts, subscripts and fractions. */
function isRaised(text: string): boolean {
  return /^[\u00b2\u00b3\u00b9\u00bc-\u00be\u2070-\u209c\u2150-\u218b]/.test(text)
}

const NUMBER_WORDS: ReadonlySet<string> = new Set(['no', 'nr', 'n', 'num', 'p', 's', 'ca', 'approx', 'max', 'min'])

/** Whether the digits end here: nothing behind them, a unit, a currency, or a word of a script without spaces. */
function hasPlainEnd(list: AtomList, last: number): boolean {
  const behind = list.at(last + 1)
  if (list.isMark(last + 1, '_@\\') || isRaised(behind.text)) return false
  if (isMultiplier(list.at(list.skipSpace(last + 1)).text)) return false
  if (behind.kind !== 'word' || isUnspaced(behind.text)) return true
  const written = list.readOriginal(behind)
  if (!isUnit(written) && readCurrency(behind.text, written) === undefined) return false
  return !list.isDigits(last + 2) || (/^[ckdm]?m$/.test(behind.text) && list.isDigits(last + 2, 1, 1))
}

function isUnspaced(text: string): boolean {
  return /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u.test(text)
}
