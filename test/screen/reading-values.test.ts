import { expect, test } from 'vitest'
import { readKeyValue } from '../../src/screen/key-value.ts'
import { type TextValidator, validateText } from '../../src/screen/text-validators.ts'
import { type Sketch, node, screen, text } from './tree-builder.ts'

const LIST = { class: 'androidx.recyclerview.widget.RecyclerView' }
const readValue = (root: Sketch, label = 'Battery') => {
  const found = readKeyValue(screen(root), { matcher: { textEquals: label } })
  return found.kind === 'found' ? found.value.attributes['text'] : found.error
}

test('the value is the label of the next sibling', () => {
  expect(readValue(node({}, text('Before'), text('Battery'), text(''), text('80%')))).toBe('80%')
})

test('a summary is preferred to nearer siblings', () => {
  const summary = text('Charging', { 'resource-id': 'android:id/summary' })
  expect(readValue(node({}, text('Battery'), text('Icon'), summary))).toBe('Charging')
})

test('the search continues in the ancestors up to the row', () => {
  expect(readValue(node({}, node({}, node({}, text('Battery'))), node({}, text('80%'))))).toBe('80%')
})

test.each([
  ['a list item', node(LIST, node({}, text('Battery')), node({}, text('Display')))],
  ['a row to tap', node({}, node({ clickable: 'true' }, text('Battery')), text('Display'))],
  ['a card', node({}, node({ class: 'x.CardView' }, text('Battery')), text('Display'))],
  [
    'a row of things side by side',
    node(
      {},
      node(
        {},
        text('Battery', { bounds: '[0,0][400,90]' }),
        node({ class: 'android.widget.Switch', bounds: '[900,0][1000,90]' }),
      ),
      text('Display', { bounds: '[0,100][400,190]' }),
    ),
  ],
  ['the whole screen', node({}, text('Battery'))],
])('the search does not leave %s', (_, root) => {
  expect(readValue(root)).toBe('VALUE_NODE_NOT_FOUND')
})

test('an off-screen value and a missing label are reported', () => {
  const hidden = text('80%', { bounds: '[0,0][0,0]' })
  expect(readValue(node({}, text('Battery'), hidden))).toBe('VALUE_NODE_NOT_FOUND')
  expect(readValue(node({}, text('80%')))).toBe('NODE_NOT_FOUND')
})

test.each([
  ['21', 'temperature', true],
  ['-3.5', 'temperature', true],
  ['21,5 \u00b0C', 'temperature', true],
  ['70\u00b0F', 'temperature', true],
  ['21\u00b0', 'temperature', true],
  ['\u22124 \u2103', 'temperature', true],
  ['21 K', 'temperature', false],
  ['about 21', 'temperature', false],
  ['', 'temperature', false],
  ['1.2.3', 'version', true],
  [' 14 ', 'version', true],
  ['v1.2', 'version', false],
  ['1.', 'version', false],
] as const)('%j as a %s: %s', (raw, validator, ok) => {
  expect(validateText(raw, { validator }).ok).toBe(ok)
})

const pattern = (validatorPattern: string): TextValidator => ({
  validator: 'regex',
  validatorPattern,
})

test('a pattern must match the whole text', () => {
  expect(validateText(' AB12 ', pattern('[A-Z]+\\d+'))).toEqual({ ok: true, text: 'AB12' })
  expect(validateText('AB12x', pattern('[A-Z]+\\d+'))).toMatchObject({
    ok: false,
    error: 'VALIDATOR_MISMATCH',
    raw_text: 'AB12x',
  })
  expect(validateText('ab', pattern('a|b')).ok).toBe(false)
})

test.each(['(', 'a)(b', '['])('%j is refused as a pattern', (broken) => {
  expect(validateText('a', pattern(broken))).toMatchObject({ error: 'INVALID_REGEX_PATTERN' })
})

test('a pattern that would take exponential time elsewhere is matched', () => {
  const verdict = validateText(`${'a'.repeat(40)}!`, pattern('(a+)+'))
  expect(verdict).toMatchObject({ ok: false, error: 'VALIDATOR_MISMATCH' })
})
