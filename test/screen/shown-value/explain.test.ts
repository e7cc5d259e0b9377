import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { explainComposed } from '../../../src/screen/shown-value/composed.ts'
import { type Explanation, explainText } from '../../../src/screen/shown-value/explain.ts'
import { normalizeLabel } from '../../../src/screen/shown-value/normalize.ts'

/** Literals as they are, inputs as `{name:kind}`. */
function print(explanation: Explanation | undefined): string | undefined {
  return explanation?.parts
    .map((part) => ('literal' in part ? part.literal : `{${part.input}:${part.shown_as}}`))
    .join('')
}

const join = ({ parts }: Explanation) => parts.map((part) => ('literal' in part ? part.literal : part.text)).join('')

type Values = Readonly<Record<string, string>>
const toMap = (values: Values) => new Map(Object.entries(values))

test.each<[string, Values, string, string]>([
  [
    'You sent 1,234.50 EUR to Ada',
    { amount: '1234.5', payee: 'Ada' },
    'You sent {amount:number} EUR to {payee:word}',
    'You sent EUR to',
  ],
  ['Ada', { name: 'Ada' }, '{name:equal}', ''],
  ['ADA · 3 files', { name: 'Ada' }, '{name:part} · 3 files', '· 3 files'],
  ['Ada Lovelace called', { first: 'Ada', full: 'Ada Lovelace' }, '{full:word} called', 'called'],
  ['Ada and Ada', { name: 'Ada' }, '{name:word} and Ada', 'and Ada'],
  ['Ada and Ada', { from: 'Ada', to: 'ada' }, '{from:word} and {to:word}', 'and'],
  ['From: Ada to Ada', { name: 'Ada' }, 'From: {name:word} to Ada', 'From: to Ada'],
  ['5 of 8', { done: '5', all: '8' }, '{done:word} of {all:word}', 'of'],
  ['Due Mar 12 at 7:05 PM', { day: '2026-03-12', time: '19:05' }, 'Due {day:date} at {time:time}', 'Due at'],
  ['−€5.00', { amount: '5' }, '-€{amount:number}', '-€'],
  ['Hello wor…', { text: 'Hello world' }, '{text:shortened}', ''],
  ['Note: Buy milk', { text: 'Buy milk\nand bread' }, 'Note: {text:first_line}', 'Note:'],
  ['Wi-Fi: On', { state: 'true' }, 'Wi-Fi: {state:boolean}', 'Wi-Fi:'],
  ['Visa •••• 1234', { card: '4111111111111234' }, 'Visa {card:shortened}', 'Visa'],
])('%j by %j is %j', (label, values, printed, rest) => {
  const explanation = explainText(label, toMap(values))
  expect(print(explanation)).toBe(printed)
  expect(explanation?.rest).toBe(rest)
})

test('a label without an input is not explained', () => {
  expect(explainText('Anna has 15 files', toMap({ name: 'Ann', count: '5' }))).toBeUndefined()
  expect(explainText('', toMap({ name: 'Ann' }))).toBeUndefined()
  expect(explainText('Ann', new Map())).toBeUndefined()
  expect(explainText('Ann', toMap({ name: '' }))).toBeUndefined()
})

test('words for days need the date of today', () => {
  const values = toMap({ day: '2026-03-13' })
  expect(print(explainText('Due: tomorrow', values, '2026-03-12'))).toBe('Due: {day:date}')
  expect(explainText('Due: tomorrow', values)).toBeUndefined()
  expect(explainText('Due: tomorrow', values, '2026-03-13')).toBeUndefined()
})

const ALARM = { hour: '7', minute: '5', half: 'PM' }

test.each<[string, Values, string, string[]]>([
  ['7:05 PM', ALARM, '{hour:time}:{minute:time} {half:time}', ['hour', 'minute', 'half']],
  ['07:05', ALARM, '{hour:time}:{minute:time}', ['hour', 'minute', 'half']],
  ['19:05', ALARM, '{hour:time}:{minute:time}', ['hour', 'minute', 'half']],
  ['午後7:05', ALARM, '{half:time}{hour:time}:{minute:time}', ['half', 'hour', 'minute']],
  ['Alarm at 7:05 p.m.', ALARM, 'Alarm at {hour:time}:{minute:time} {half:time}', ['hour', 'minute', 'half']],
  ['7:05 PM', { hour: '19', minute: '05' }, '{hour:time}:{minute:time} PM', ['hour', 'minute']],
  ['05:05', { minute: '5', hour: '05' }, '{hour:time}:{minute:time}', ['hour', 'minute']],
  [
    'Gym, 7:05 PM',
    { ...ALARM, label: 'Gym' },
    '{label:part}, {hour:time}:{minute:time} {half:time}',
    ['label', 'hour', 'minute', 'half'],
  ],
  [
    '12 Mar 2026',
    { day: '12', month: '3', year: '2026' },
    '{day:date} {month:date} {year:date}',
    ['day', 'month', 'year'],
  ],
  [
    'March 12, 2026',
    { day: '12', month: 'Mar', year: '2026' },
    '{month:date} {day:date}, {year:date}',
    ['month', 'day', 'year'],
  ],
  ['12. März', { day: '12', month: 'March' }, '{day:date}. {month:date}', ['day', 'month']],
  [
    '03/12/2026',
    { day: '12', month: '3', year: '2026' },
    '{month:date}/{day:date}/{year:date}',
    ['month', 'day', 'year'],
  ],
  [
    '12/03/2026',
    { day: '12', month: '3', year: '2026' },
    '{day:date}/{month:date}/{year:date}',
    ['day', 'month', 'year'],
  ],
  ['2026年3月12日', { d: '12', m: '3', y: '2026' }, '{y:date}年{m:date}月{d:date}日', ['y', 'm', 'd']],
  [
    '2026-05-05',
    { month: '5', day: '05', year: '2026' },
    '{year:date}-{month:date}-{day:date}',
    ['year', 'month', 'day'],
  ],
  ['Paid €12.50', { amount: '12.5', currency: 'EUR' }, 'Paid {currency:number}{amount:number}', ['currency', 'amount']],
  ['12,50 EUR', { amount: '12.5', currency: 'eur' }, '{amount:number} {currency:word}', ['amount', 'currency']],
  ['1.234 €', { amount: '1234', currency: 'EUR' }, '{amount:number} {currency:number}', ['amount', 'currency']],
  ['Hi Ada Lovelace!', { first: 'Ada', last: 'Lovelace' }, 'Hi {first:word} {last:word}!', ['first', 'last']],
  ['Lovelace, Ada', { first: 'Ada', last: 'Lovelace' }, '{last:word}, {first:word}', ['last', 'first']],
  ['山田太郎', { last: '山田', first: '太郎' }, '{last:word}{first:word}', ['last', 'first']],
])('%j composed of %j is %j', (label, values, printed, inputs) => {
  const explanation = explainComposed(label, toMap(values))
  expect(print(explanation)).toBe(printed)
  expect(explanation?.inputs).toEqual(inputs)
})

test.each<[string, Values]>([
  ['7:05 AM', ALARM],
  ['8:05 PM', ALARM],
  ['7:50 PM', ALARM],
  ['17:05', ALARM],
  ['7:05 PM', { hour: '7' }],
  ['7:07', { hour: '7' }],
  ['13 Mar 2026', { day: '12', month: '3', year: '2026' }],
  ['12 Apr 2026', { day: '12', month: '3', year: '2026' }],
  ['12', { day: '12', month: '3' }],
  ['$12.50', { amount: '12.5', currency: 'EUR' }],
  ['€12.60', { amount: '12.5', currency: 'EUR' }],
  ['12.50', { amount: '12.5', currency: 'EUR' }],
  ['Adalovelace', { first: 'Ada', last: 'Lovelace' }],
  ['Ada and Lovelace', { first: 'Ada', last: 'Lovelace' }],
  ['Ada Lovelaces', { first: 'Ada', last: 'Lovelace' }],
])('%j is not composed of %j', (label, values) => {
  expect(explainComposed(label, toMap(values))).toBeUndefined()
})

test('what joins composed inputs is no rest', () => {
  expect(explainComposed('Alarm at 7:05 PM', toMap(ALARM))?.rest).toBe('Alarm at')
})

const single = fc.dictionary(
  fc.constantFrom('a', 'b', 'c', 'd'),
  fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 8 }),
    fc.constantFrom('5', '12.5', '2026-03-12', '19:05', 'Ada', 'Lovelace', 'EUR', '3', '12', '2026', 'true', 'PM', '7'),
  ),
)
const sets = fc.constantFrom<Values>(
  ALARM,
  { amount: '12.5', currency: 'EUR' },
  { day: '12', month: '3', year: '2026' },
  { first: 'Ada', last: 'Lovelace' },
)
const values = fc.tuple(single, sets).map(([one, set]) => ({ ...one, ...set }))
const words = fc.oneof(
  fc.constantFrom(
    'Ada',
    'Lovelace',
    '5.00',
    '€12.50',
    '12 Mar 2026',
    '7:05 PM',
    'On',
    '…',
    ', ',
    ': ',
    '(',
    ')',
    '\n',
    ' ',
  ),
  fc.string({ unit: 'grapheme', maxLength: 4 }),
)
const labels = fc.array(words, { maxLength: 12 }).map((all) => all.join(' '))

test.each([explainText, explainComposed])('the parts of %o are the normalized label', (explain) => {
  let explained = 0
  fc.assert(
    fc.property(labels, values, (label, given) => {
      const explanation = explain(label, toMap(given))
      if (explanation === undefined) return
      explained++
      expect(join(explanation)).toBe(normalizeLabel(label))
      expect(explanation.inputs.length).toBeGreaterThan(0)
      expect(explanation.inputs.filter((name) => !(name in given))).toEqual([])
      expect(explanation.parts.every((part) => ('literal' in part ? part.literal : part.text) !== '')).toBe(true)
      const uses = explanation.parts.flatMap((part) => ('literal' in part ? [] : [`${part.input} ${part.shown_as}`]))
      expect(new Set(uses).size).toBe(uses.length)
    }),
    // Few labels are explained by composed values, so all cases are tried.
    { numRuns: 300 },
  )
  expect(explained).toBeGreaterThan(10)
})
