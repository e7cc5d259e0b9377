import { expect, test } from 'vitest'
import { evaluate } from '@apprentice/phone/documents/evaluation.ts'
import { parseExpression } from '@apprentice/phone/documents/expression.ts'
import { fillValue, parseTemplate, renderTemplate } from '@apprentice/phone/documents/template.ts'

const units = [
  { id: 1, name: 'Lobby', on: true, price: 2.5 },
  { id: 2, name: 'Gym', on: false, price: 1.1 },
]
const scope = {
  names: { saved: { units, zero: 0, empty: [], word: 'Tea' }, index: 1 },
  translate: (key: string) => `<${key}>`,
}
const value = (text: string): unknown => evaluate(parseExpression(text), scope)

test.each([
  ['1 + 2 * 3', 7],
  ['(1 + 2) * 3', 9],
  ['7 % 4 - 1', 2],
  ['-2 + 5', 3],
  ['0.1 + 0.2', 0.3],
  ['1 / 0', 0],
  ["'a' + 1", 'a1'],
  ["'it\\'s'", "it's"],
  ['1 < 2 && 2 <= 2', true],
  ["'a' < 'b'", true],
  ['!saved.empty', true],
  ['saved.zero || 5', 5],
  ['true ? 1 : 2', 1],
  ['false ? 1 : true ? 3 : 4', 3],
  ['saved.units[index].name', 'Gym'],
  ['saved.units[9].name == null', true],
  ['saved.nothing.deep', undefined],
  ["find(saved.units, it.name == 'Gym').id", 2],
  ['count(saved.units, it.on)', 1],
  ['sum(saved.units, it.price)', 3.6],
  ['any(saved.units, it.price > 2)', true],
  ["join(map(filter(saved.units, true), it.name), ', ')", 'Lobby, Gym'],
  ['len(saved.units) + len(saved.word)', 5],
  ["contains(saved.word, 'TE')", true],
  ['contains(map(saved.units, it.id), 2)', true],
  ['next_id(saved.units)', 3],
  ['next_id(saved.empty)', 1],
  ["fixed(number('21.25'), 1)", '21.3'],
  ["t('key')", '<key>'],
  ['last(saved.units).name', 'Gym'],
  ['saved.constructor', undefined],
  ['saved.__proto__', undefined],
])('%s is %j', (text, expected) => {
  expect(value(text)).toEqual(expected)
})

test.each(['', '1 +', 'a b', '(1', 'f(1,', '1 & 2', "'open", 'a.', 'a[1', '?'])('%j is a syntax error', (text) => {
  expect(() => parseExpression(text)).toThrow(/expected|unexpected characters/)
})

test('a template renders text outside braces unchanged and evaluates expressions inside', () => {
  const render = (text: string): string => renderTemplate(parseTemplate(text), scope)
  expect(render("a {1 + 1} {{b}} {'}'}")).toBe('a 2 {b} }')
  expect(render('{saved.nothing}|{saved.units[0].on}')).toBe('|true')
  expect(render('@title')).toBe('<title>')
  expect(render('@@x')).toBe('@x')
})

test('a value that is a single expression keeps its type and is a copy', () => {
  const fill = (text: string): unknown => fillValue(parseTemplate(text), scope)
  expect(fill('{1 + 1}')).toBe(2)
  expect(fill('{1 + 1}!')).toBe('2!')
  const copy = fill('{saved.units}')
  expect(copy).toEqual(units)
  expect(copy).not.toBe(units)
})
