import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { LANGUAGES } from '../../../src/screen/shown-value/calendar-names.ts'
import { foldForScan, foldText, normalizeLabel } from '../../../src/screen/shown-value/normalize.ts'
import { findShownValue, listShownSpans, showsValue } from '../../../src/screen/shown-value/shown-value.ts'
import { ScannedLabel } from '../../../src/screen/shown-value/scanned-label.ts'
import { readValue } from '../../../src/screen/shown-value/value.ts'
import { countRuns } from '../../kit/count-runs.ts'

const locales = fc.constantFrom(...LANGUAGES, 'en-IN', 'de-CH', 'ar-EG', 'fa', 'hi', 'bn', 'fi', 'hu')
const cents = fc.integer({ min: -99_999_999, max: 99_999_999 })

interface NumberStyle {
  readonly locale: string
  readonly currency: string | undefined
  readonly before: string
  readonly after: string
}

const numberStyles: fc.Arbitrary<NumberStyle> = fc.record({
  locale: locales,
  currency: fc.constantFrom(undefined, 'EUR', 'USD', 'PLN', 'JPY', 'INR'),
  before: fc.constantFrom('', 'Total: ', 'You sent ', '('),
  after: fc.constantFrom('', ' to Ada', ')', '\nToday', '.'),
})

function formatNumber(value: number, { locale, currency, before, after }: NumberStyle): string {
  const style = currency === undefined ? {} : { style: 'currency' as const, currency }
  const digits = { minimumFractionDigits: 2, maximumFractionDigits: 2 }
  return `${before}${new Intl.NumberFormat(locale, { ...style, ...digits }).format(value)}${after}`
}

test('a number is shown by every format of it', () => {
  fc.assert(
    fc.property(cents, numberStyles, (count, style) => {
      expect([
        formatNumber(count / 100, style),
        showsValue(formatNumber(count / 100, style), String(count / 100)),
      ]).toEqual([formatNumber(count / 100, style), true])
    }),
    { numRuns: countRuns(300) },
  )
})

test('another number is not shown', () => {
  const others = fc.oneof(cents, fc.constantFrom(1, -1, 10, 100, 1000))
  fc.assert(
    fc.property(cents, others, fc.boolean(), numberStyles, (count, other, near, style) => {
      const wanted = near ? count + other : other
      fc.pre(Math.abs(wanted) !== Math.abs(count))
      expect(findShownValue(formatNumber(count / 100, style), String(wanted / 100))).toBeUndefined()
    }),
    { numRuns: countRuns(300) },
  )
})

const days = fc.integer({ min: 0, max: 14_000 }).map((day) => new Date(Date.UTC(2000, 0, 1 + day)))
const dateStyles = fc.constantFrom('short', 'medium', 'long', 'full')
const dateLanguages = fc.constantFrom(...LANGUAGES)

function formatDate(date: Date, locale: string, dateStyle: 'short' | 'medium' | 'long' | 'full'): string {
  // The short Korean year has two digits and comes first: it may be a day.
  const style = locale === 'ko' && dateStyle === 'short' ? 'medium' : dateStyle
  return new Intl.DateTimeFormat(locale, { dateStyle: style, timeZone: 'UTC' }).format(date)
}

const toIso = (date: Date) => date.toISOString().slice(0, 10)

test('a date is shown by every format of it', () => {
  fc.assert(
    fc.property(days, dateLanguages, dateStyles, (date, locale, style) => {
      const label = formatDate(date, locale, style)
      expect([label, showsValue(label, toIso(date))]).toEqual([label, true])
    }),
    { numRuns: countRuns(300) },
  )
})

test('another date is not shown', () => {
  fc.assert(
    fc.property(days, days, dateLanguages, dateStyles, (date, other, locale, style) => {
      const isSwapped = date.getUTCDate() === other.getUTCMonth() + 1 && other.getUTCDate() === date.getUTCMonth() + 1
      fc.pre(!isSwapped && toIso(date) !== toIso(other))
      expect(findShownValue(`Due ${formatDate(date, locale, style)}`, toIso(other))).toBeUndefined()
    }),
    { numRuns: countRuns(300) },
  )
})

const minutes = fc.integer({ min: 0, max: 24 * 60 - 1 })

function formatTime(minute: number, locale: string, hour12: boolean): string {
  const options = { hour: 'numeric', minute: '2-digit', hour12, timeZone: 'UTC' } as const
  return new Intl.DateTimeFormat(locale, options).format(new Date(minute * 60_000))
}

const toClock = (minute: number) => new Date(minute * 60_000).toISOString().slice(11, 16)

test('a time is shown by every format of it, another one is not', () => {
  fc.assert(
    fc.property(minutes, minutes, dateLanguages, fc.boolean(), (minute, other, locale, hour12) => {
      const label = `Alarm ${formatTime(minute, locale, hour12)}`
      expect([label, showsValue(label, toClock(minute))]).toEqual([label, true])
      fc.pre(minute !== other)
      expect([label, showsValue(label, toClock(other))]).toEqual([label, false])
    }),
    { numRuns: countRuns(300) },
  )
})

test('folding keeps the length, and normalizing twice changes nothing', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(foldForScan(text)).toHaveLength(text.length)
      const label = normalizeLabel(text)
      expect(foldText(label)).toHaveLength(label.length)
      expect(normalizeLabel(label)).toBe(label)
    }),
  )
})

/** Texts that make a scanner or a search look far ahead. */
const UNITS = [
  '1.',
  '12:3',
  '1 ',
  '12 mar ',
  'mar 12, ',
  'a',
  'ab, ',
  '•',
  '... ',
  'aaa… ',
  '(',
  '7 p.',
  '+1 2',
  '2026-',
  'on: ',
  '東',
]

test.each(UNITS)('the work on a text of %j grows linearly', (unit) => {
  const values = [
    '5',
    'a'.repeat(300),
    'ab, ab, ab',
    '2026-03-12',
    '2026-03-12T10:00',
    '19:05',
    'true',
    '4111111111111234',
    '12 mar',
  ]
  const countSteps = (length: number) => {
    const label = new ScannedLabel(unit.repeat(Math.ceil(length / unit.length)).slice(0, length))
    for (const value of values) {
      const wanted = readValue(value)
      if (wanted !== undefined) listShownSpans(label, wanted, '2026-03-12')
    }
    return label.total_steps
  }
  const [short, long] = [countSteps(2000), countSteps(4000)]
  expect(long).toBeLessThanOrEqual(2.1 * short)
  expect(long).toBeLessThanOrEqual(4000 * 60 * values.length)
})
