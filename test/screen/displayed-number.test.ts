import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { isNear, parseDisplayedNumber } from '../../src/screen/displayed-number.ts'

test.each([
  ['21', 21],
  ['21.5 °C', 21.5],
  ['21,5 °C', 21.5],
  ['-4', -4],
  ['\u22124°', -4],
  ['+3', 3],
  ['Level 20 %', 20],
  ['Volume: -12.25 dB', -12.25],
  ['18-24', 18],
  ['A-5', 5],
  ['v2', 2],
  ['1.2.3', 1.2],
  ['10:30', 10],
  ['5.', 5],
  ['$ 3', 3],
  ['٤', 4],
  ['1,234', 1234],
  ['1,234.50 USD', 1234.5],
  ['1.234,50 €', 1234.5],
  ['12 345 steps', 12_345],
  ['1.234.567', 1_234_567],
  ['10:30, 5 guests', 5],
])('%j shows %d', (label, value) => {
  expect(parseDisplayedNumber(label)).toBe(value)
})

test.each(['', '--', 'Off', '\u2212', '.'])('%j shows no number', (label) => {
  expect(parseDisplayedNumber(label)).toBeUndefined()
})

test('a number is parsed from every format', () => {
  const numbers = fc.integer({ min: -99_999, max: 99_999 }).map((count) => count / 100)
  const written = fc.record({
    mark: fc.constantFrom('.', ','),
    minus: fc.constantFrom('-', '\u2212'),
    before: fc.constantFrom('', 'Now ', '(', '~ '),
    after: fc.constantFrom('', ' °C', '%', '/min'),
  })
  fc.assert(
    fc.property(numbers, written, (value, { mark, minus, before, after }) => {
      const digits = String(value).replace('-', minus).replace('.', mark)
      expect(parseDisplayedNumber(`${before}${digits}${after}`)).toBe(value)
    }),
  )
})

test('sums of decimals are near their exact value', () => {
  expect(isNear(0.1 + 0.2, 0.3)).toBe(true)
  expect(isNear(0.3, 0.4)).toBe(false)
  expect(isNear(0.3, 0.4, 0.1)).toBe(true)
  expect(isNear(100_000.01, 100_000)).toBe(false)
})
