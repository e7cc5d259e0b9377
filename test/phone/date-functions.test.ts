import fc from 'fast-check'
import { expect, test } from 'vitest'
import { addDays, addMonths, countDays, readWeekday } from '@apprentice/phone/documents/date-functions.ts'
import { evaluate } from '@apprentice/phone/documents/evaluation.ts'
import { parseExpression } from '@apprentice/phone/documents/expression.ts'

const evaluateIn = (locale: string, text: string): unknown =>
  evaluate(parseExpression(text), { names: { device: { locale } }, translate: (key) => key })

test.each([
  ['en-US', "add_days('2026-02-27', 3)", '2026-03-02'],
  ['en-US', "add_days('2026-03-02T10:00', -2)", '2026-02-28'],
  ['en-US', "add_months('2026-01-31', 1)", '2026-02-28'],
  ['en-US', "add_months('2026-01-31', -2)", '2025-11-30'],
  ['en-US', "days_between('2026-03-02', '2026-02-27')", -3],
  ['en-US', "weekday('2026-03-01')", 7],
  ['en-US', "format_date('2026-03-02', 'EEEE, d MMM yy')", 'Monday, 2 Mar 26'],
  ['en-US', "format_date('2026-03-02', 'dd.MM.yyyy')", '02.03.2026'],
  ['en-US', String.raw`format_date('2026-03-02', 'd\'th of\' MMMM')`, '2th of March'],
  ['de-DE', "format_date('2026-03-02', 'EEEE, d. MMMM')", 'Montag, 2. März'],
  ['xx-invalid-locale-', "format_date('2026-03-02', 'MMMM')", 'March'],
  ['en-US', "format_date('tomorrow', 'MMMM')", ''],
  ['en-US', 'format_number(1234.5, 2)', '1,234.50'],
  ['de-DE', 'format_number(1234.5, 2)', '1.234,50'],
  ['en-US', 'pad(7, 2)', '07'],
  ['en-US', "pad('1234', 2)", '1234'],
  ['en-US', "split('a,b', ',')", ['a', 'b']],
  ['en-US', "slice('abcdef', 1, 3)", 'bc'],
  ['en-US', 'slice(range(1, 5), 3)', [4, 5]],
  ['en-US', 'range(0, 1, 0.25)', [0, 0.25, 0.5, 0.75, 1]],
  ['en-US', 'range(3, 1)', []],
  ['en-US', 'range(3, 1, 0)', []],
])('in %s, %s is %j', (locale, text, expected) => {
  expect(evaluateIn(locale, text)).toEqual(expected)
})

const day = fc
  .date({ min: new Date('1900-01-01'), max: new Date('2200-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10))

test('adding days and counting them are inverse, and weekdays follow each other', () => {
  fc.assert(
    fc.property(day, fc.integer({ min: -5000, max: 5000 }), (date, days) => {
      expect(countDays(date, addDays(date, days))).toBe(days)
      expect(readWeekday(addDays(date, 1))).toBe((readWeekday(date) % 7) + 1)
    }),
  )
})

test('adding months changes the month by that number and never leaves it', () => {
  fc.assert(
    fc.property(day, fc.integer({ min: -400, max: 400 }), (date, months) => {
      const count = (text: string): number => Number(text.slice(0, 4)) * 12 + Number(text.slice(5, 7))
      const moved = addMonths(date, months)
      expect(count(moved)).toBe(count(date) + months)
      expect(Number(moved.slice(8))).toBeLessThanOrEqual(Number(date.slice(8)))
    }),
  )
})
