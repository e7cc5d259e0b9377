import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  addMonths,
  countDays,
  countMonths,
  formatDate,
  readAskedDate,
  readLabelDate,
  readMonthHeading,
} from '../../../src/screen/calendar/calendar-date.ts'

const NOVEMBER = { year: 2026, month: 11 }

test.each([
  ['2026-03-14', { year: 2026, month: 3, day: 14 }],
  ['14 March 2027', { year: 2027, month: 3, day: 14 }],
  ['March 14, 2027', { year: 2027, month: 3, day: 14 }],
  ['14. März 2026', { year: 2026, month: 3, day: 14 }],
  ['14 de marzo de 2026', { year: 2026, month: 3, day: 14 }],
  ['25/12/2026', { year: 2026, month: 12, day: 25 }],
  ['20 December', { year: 2026, month: 12, day: 20 }],
  ['14 March', { year: 2027, month: 3, day: 14 }],
  ['5', { ...NOVEMBER, day: 5 }],
  ['the 5th', { ...NOVEMBER, day: 5 }],
  ['05', { ...NOVEMBER, day: 5 }],
])('%s is a date', (words, date) => {
  expect(readAskedDate(words, NOVEMBER)).toEqual(date)
})

test.each(['03/04/2026', '31', '30 February 2026', 'soon', '', '45', '2026'])('"%s" is no certain date', (words) => {
  expect(readAskedDate(words, NOVEMBER)).toBeUndefined()
})

test.each([
  ['May 2026', { month: 5, year: 2026 }],
  ['MAI 2026', { month: 5, year: 2026 }],
  ['mayo de 2026', { month: 5, year: 2026 }],
  ['2026年5月', { month: 5, year: 2026 }],
  ['2026년 5월', { month: 5, year: 2026 }],
  ['05/2026', { month: 5, year: 2026 }],
  ['Maggio', { month: 5, year: undefined }],
])('%s names a month', (label, month) => {
  expect(readMonthHeading(label)).toEqual(month)
})

test.each(['18 May 2026', 'May the force be with you', 'Select date', '2026', '13/2026', ''])(
  '"%s" names no month',
  (label) => {
    expect(readMonthHeading(label)).toBeUndefined()
  },
)

const months = fc.record({ year: fc.integer({ min: 1950, max: 2099 }), month: fc.integer({ min: 1, max: 12 }) })
const dates = months.chain((month) => fc.integer({ min: 1, max: countDays(month) }).map((day) => ({ ...month, day })))
const pad = (number: number) => String(number).padStart(2, '0')

test('a date that names its year is the same whatever month is shown', () => {
  fc.assert(
    fc.property(dates, months, (date, shown) => {
      const { year, month, day } = date
      expect(readAskedDate(formatDate(date), shown)).toEqual(date)
      expect(readAskedDate(`${year}-${pad(month)}-${pad(day)}`, shown)).toEqual(date)
      expect(readLabelDate(formatDate(date))).toEqual(date)
    }),
  )
})

test('months are counted and added without loss', () => {
  fc.assert(
    fc.property(months, months, (from, to) => {
      expect(addMonths(from, countMonths(from, to))).toEqual(to)
    }),
  )
})

test('a date without a year is the nearest one', () => {
  fc.assert(
    fc.property(dates, months, (date, shown) => {
      const read = readAskedDate(formatDate(date).replace(/ \d{4}$/, ''), shown)
      if (read === undefined) return
      expect(Math.abs(countMonths(shown, read))).toBeLessThanOrEqual(date.month === 2 && date.day === 29 ? 30 : 6)
    }),
  )
})
