import { expect, test } from 'vitest'
import { findShownValue, showsValue } from '../../../src/screen/shown-value/shown-value.ts'
import {
  HIDDEN_BOOLEAN_ROWS,
  HIDDEN_CODE_ROWS,
  HIDDEN_NUMBER_ROWS,
  HIDDEN_TEXT_ROWS,
  HIDDEN_TIME_ROWS,
} from './hidden-rows.ts'
import { BOOLEAN_ROWS, CODE_ROWS, NUMBER_ROWS, TEXT_ROWS } from './shown-rows.ts'
import { DATE_ROWS, TIME_ROWS } from './shown-time-rows.ts'

test.each([...TEXT_ROWS, ...NUMBER_ROWS, ...CODE_ROWS, ...BOOLEAN_ROWS, ...DATE_ROWS, ...TIME_ROWS])(
  '%j shows %j as %s',
  (label, value, shownAs) => {
    expect(findShownValue(label, value)).toBe(shownAs)
    expect(showsValue(label, value)).toBe(true)
  },
)

test.each([
  ...HIDDEN_TEXT_ROWS,
  ...HIDDEN_NUMBER_ROWS,
  ...HIDDEN_CODE_ROWS,
  ...HIDDEN_BOOLEAN_ROWS,
  ...HIDDEN_TIME_ROWS,
])('%j does not show %j', (label, value) => {
  expect(findShownValue(label, value)).toBeUndefined()
  expect(showsValue(label, value)).toBe(false)
})

test.each([
  ['Today', '2026-03-12'],
  ['TODAY', '2026-03-12'],
  ['Tomorrow', '2026-03-13'],
  ['Yesterday', '2026-03-11'],
  ['Due: tomorrow', '2026-03-13'],
  ['Tomorrow at 7:05', '2026-03-13'],
  ['Heute', '2026-03-12'],
  ['Morgen, 19:05', '2026-03-13'],
  ['Gestern', '2026-03-11'],
  ['Aujourd’hui', '2026-03-12'],
  ['Demain', '2026-03-13'],
  ['Mañana', '2026-03-13'],
  ['Oggi', '2026-03-12'],
  ['Amanhã', '2026-03-13'],
  ['Vandaag', '2026-03-12'],
  ['Dzisiaj', '2026-03-12'],
  ['I dag', '2026-03-12'],
  ['Yarın', '2026-03-13'],
  ['Вчера', '2026-03-11'],
  ['明日', '2026-03-13'],
  ['今天', '2026-03-12'],
  ['내일', '2026-03-13'],
])('on 2026-03-12 %j shows %s', (label, value) => {
  expect(findShownValue(label, value, '2026-03-12')).toBe('date')
})

test.each([
  ['Today', '2026-03-13'],
  ['Tomorrow', '2026-03-12'],
  ['Yesterday', '2026-03-13'],
  ['Todays', '2026-03-12'],
  ['See you tomorrow', '2027-03-13'],
  ['Wir sind hier zu Hause', '2026-03-11'],
])('on 2026-03-12 %j does not show %s', (label, value) => {
  expect(findShownValue(label, value, '2026-03-12')).toBeUndefined()
})

test('the tables hold at least 150 rows each', () => {
  const shown = [TEXT_ROWS, NUMBER_ROWS, CODE_ROWS, BOOLEAN_ROWS, DATE_ROWS, TIME_ROWS].flat()
  const hidden = [HIDDEN_TEXT_ROWS, HIDDEN_NUMBER_ROWS, HIDDEN_CODE_ROWS, HIDDEN_BOOLEAN_ROWS, HIDDEN_TIME_ROWS].flat()
  expect(Math.min(shown.length, hidden.length)).toBeGreaterThanOrEqual(150)
})
