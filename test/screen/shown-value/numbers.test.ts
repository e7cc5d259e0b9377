import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { listNumbers, readNumber } from '../../../src/screen/shown-value/numbers.ts'

test.each<[string, number[]]>([
  ['', []],
  ['None', []],
  ['5', [5]],
  ['5 of 8', [5, 8]],
  ['4.5/5', [4.5, 5]],
  ['18–24', [18, 24]],
  ['1,234.50 EUR', [1234.5]],
  ['EUR 1.234,50', [1234.5]],
  ['1.234 €', [1234]],
  ['1.234 V', [1.234]],
  ['1 234,50 zł', [1234.5]],
  ["1'234.50", [1234.5]],
  ['12,34,567', [1_234_567]],
  ['0,123', [0.123]],
  ['-€5.00', [-5]],
  ['€ -5', [-5]],
  ['+5', [5]],
  ['(5)', [5]],
  ['50 %', [50]],
  ['20kg and 3 km', [20, 3]],
  ['5m2', [5]],
  ['٤٥٫٥', [45.5]],
  ['１，２３４', [1234]],
  ['5, 10, 15', [5, 10, 15]],
  ['12 Mar 2026, 7:05 PM, 3 guests', [3]],
  ['2026-03-12', []],
  ['19:05', []],
  ['7 PM', []],
  ['1.2.3', []],
  ['v2', []],
  ['192.168.0.1', []],
  ['+49 170 1234567', []],
  ['06 12 34 56 78', []],
  ['4111 1111 1111 1234', []],
  ['•••• 1234', []],
  ['A-5', []],
  ['COVID-19', []],
  ['5K', []],
  ['1st', []],
  ['550e8400-e29b-41d4-a716-446655440000', []],
])('%j has the numbers %j', (text, values) => {
  expect(listNumbers(text).map(({ value }) => value)).toEqual(values)
  expect(readNumber(text)).toBe(values[0])
})

test('places and decimals are those of the given text', () => {
  const text = '  Paid −€1,234.50 for\u00a0٤ items'
  const numbers = listNumbers(text)
  expect(numbers.map(({ start, end }) => text.slice(start, end))).toEqual(['−€1,234.50', '٤'])
  expect(numbers.map(({ value, decimals }) => [value, decimals])).toEqual([
    [-1234.5, 2],
    [4, 0],
  ])
})

test('numbers of any text lie inside it, in order, without overlap', () => {
  const pieces = fc.constantFrom(
    '1',
    '23',
    '456',
    '.',
    ',',
    ' ',
    ':',
    '-',
    '/',
    '€',
    'a',
    'PM',
    'Mar',
    '年',
    '(',
    '+',
    "'",
  )
  const texts = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.array(pieces, { maxLength: 30 }).map((all) => all.join('')),
  )
  fc.assert(
    fc.property(texts, (text) => {
      let from = 0
      for (const { value, start, end, decimals } of listNumbers(text)) {
        expect(start).toBeGreaterThanOrEqual(from)
        expect(end).toBeGreaterThan(start)
        expect(end).toBeLessThanOrEqual(text.length)
        expect(Number.isFinite(value)).toBe(true)
        expect(decimals).toBeGreaterThanOrEqual(0)
        from = end
      }
    }),
  )
})
