import { expect, test } from 'vitest'
import { splitLabel } from '../../../src/screen/structure/label-parts.ts'
import { findSectionTitle } from '../../../src/screen/structure/label-beside.ts'
import { isMeasure, maskText } from '../../../src/screen/structure/mask-text.ts'
import { findFieldLabel, nameNode } from '../../../src/screen/structure/node-name.ts'
import { type Sketch, node, text } from '../tree-builder.ts'
import { TOUCH, at, box, show } from './toolkit-trees.ts'

/** Marks the node to name. */
const TARGET = { index: '0', 'drawing-order': '7' }

function name(page: Sketch, read = nameNode): string {
  const visible = show(page)
  const target = visible.find((one) => one.attributes['drawing-order'] === '7')
  if (target === undefined) throw new Error('no target')
  return read(target, visible)
}

const target = (attributes: Readonly<Record<string, string>>, ...children: readonly Sketch[]) =>
  node({ ...TARGET, ...TOUCH, ...attributes }, ...children)

test.each([
  ['its text', { text: 'Сохранить', 'content-desc': 'x' }, 'Сохранить'],
  ['its description', { 'content-desc': '保存する' }, '保存する'],
  ['the first line of it', { 'content-desc': 'Inbox\nTab 1 of 3' }, 'Inbox'],
  ['its hint', { hint: 'البحث' }, 'البحث'],
  ['the words of its id', { 'resource-id': 'a:id/btnAddToCart_view' }, 'add to cart'],
  ['no shortened id', { 'resource-id': 'a:id/adr' }, ''],
  ['no glyph of an icon font', { text: '\ue8b6' }, ''],
])('a node is named by %s', (_, attributes, expected) => {
  expect(name(box({}, target(attributes)))).toBe(expected)
})

test('by the words inside it, those of an inner control last', () => {
  const favourite = node({ 'content-desc': 'Add to favourites', ...TOUCH, ...at(700, 100, 800, 200) })
  const card = target(
    at(40, 100, 1000, 500),
    favourite,
    text('4.8', at(60, 200, 200, 260)),
    text('Oslo', at(60, 300, 600, 360)),
  )
  expect(name(box({}, card))).toBe('Oslo')
})

test.each([
  ['left', at(40, 300, 400, 360)],
  ['above', at(500, 200, 900, 280)],
  ['right', at(720, 300, 1000, 360)],
  ['below', at(500, 380, 800, 420)],
])('by the label %s of it', (_, place) => {
  const page = box({}, box(at(0, 150, 1080, 450), text('Volume:', place), target(at(500, 300, 700, 370))))
  expect(name(page)).toBe('Volume')
})

test('a label on the left comes before one above; the label of another control is not taken', () => {
  const page = box(
    {},
    node({ ...TOUCH, ...at(40, 300, 400, 360) }, text('Other', at(40, 300, 400, 360))),
    text('Above', at(500, 200, 700, 280)),
    target(at(500, 300, 700, 370)),
  )
  expect(name(page)).toBe('Above')
})

test('an icon in a row that takes a touch is named by its id, and not by the content of the row', () => {
  const draw = (attributes: Readonly<Record<string, string>>) =>
    box(
      { ...TOUCH, ...at(0, 300, 1080, 420) },
      text('Ada Byron', at(40, 310, 700, 400)),
      target({ ...attributes, ...at(900, 310, 1000, 400) }),
    )
  expect(name(box({}, draw({ 'resource-id': 'a:id/remove_entry' })))).toBe('remove entry')
  expect(name(box({}, draw({ 'resource-id': 'a:id/remove_entry', checkable: 'true' })))).toBe('Ada Byron')
})

test('an option is named by its own text even if it is a number', () => {
  expect(name(box({}, target({ class: 'android.widget.RadioButton', text: '30 min', checkable: 'true' })))).toBe(
    '30 min',
  )
})

test('the text of a field is never its name', () => {
  const field = target({ class: 'android.widget.EditText', text: 'ada@b.org', ...at(40, 300, 1040, 420) })
  expect(name(box({}, field))).toBe('')
  expect(name(box({}, text('E-mail', at(40, 220, 400, 290)), field))).toBe('E-mail')
  const labelled = target({ class: 'android.widget.EditText', text: 'Ada', hint: 'Имя' })
  expect(name(box({}, labelled), findFieldLabel)).toBe('Имя')
})

test('a field is named by the placeholder inside it, and not by the value', () => {
  const field = target(
    { class: 'android.widget.EditText', text: '12', ...at(40, 300, 1040, 420) },
    text('12', at(60, 320, 200, 400)),
    text('Amount', at(60, 300, 300, 320)),
  )
  expect(name(box({}, field), findFieldLabel)).toBe('Amount')
})

test.each([
  ['a switch that shows its state', { class: 'android.widget.Switch', text: 'ON', checkable: 'true' }],
  ['a slider that shows its value', { class: 'android.widget.SeekBar', 'content-desc': '', text: '38%' }],
])('%s is named by the label beside it', (_, attributes) => {
  const page = box(
    {},
    box(
      at(0, 280, 1080, 400),
      text('明るさ', at(40, 300, 500, 380)),
      target({ ...attributes, ...at(800, 300, 1000, 380) }),
    ),
  )
  expect(name(page, findFieldLabel)).toBe('明るさ')
})

test('the label of a box with a check mark stands on its right', () => {
  const page = box(
    {},
    text('Sound', at(40, 200, 400, 260)),
    box(
      at(0, 280, 1080, 400),
      target({ checkable: 'true', ...at(40, 300, 140, 380) }),
      text('Voice', at(160, 300, 600, 380)),
    ),
  )
  expect(name(page, findFieldLabel)).toBe('Voice')
})

test('the section of a node is the nearest title above it', () => {
  const page = box(
    {},
    text('Lights', at(40, 100, 400, 160)),
    target(at(40, 200, 400, 300)),
    text('Doors', at(40, 400, 400, 460)),
  )
  expect(name(page, findSectionTitle)).toBe('Lights')
})

test.each([
  ['Ada · 9:41', ['Ada', '9:41']],
  ['Milk, 2 bottles\n3,50 €', ['Milk', '2 bottles', '3,50 €']],
  ['a | b • c – d — e', ['a', 'b', 'c', 'd', 'e']],
  ['Rock-and-roll, 1,000', ['Rock-and-roll', '1,000']],
  ['  \n ', []],
])('the parts of %j are %j', (label, parts) => {
  expect(splitLabel(label)).toEqual(parts)
})

test.each([
  ['3 new messages', '12 new messages'],
  ['Total: $1,234.50', 'Total: $9.00'],
  ['Today 9:30 AM', 'Today 11:05 PM'],
  ['May 26', 'June 1'],
  ['26 мая', '3 июня'],
  ['2026年05月31日', '2027年1月2日'],
  ['٣ رسائل', '٧ رسائل'],
  ['Battery 80%', 'Battery 7 %'],
])('%j and %j are equal when masked', (first, second) => {
  expect(maskText(first)).toBe(maskText(second))
})

test('words stay, so other labels stay different', () => {
  expect(maskText('3 new messages')).not.toBe(maskText('3 old messages'))
  expect(maskText('May I help you?')).toBe('May I help you?')
})

test.each([
  ['12:30', true],
  ['€ 3.50', true],
  ['38%', true],
  ['10 km', true],
  ['Route 66', false],
  ['Ada', false],
])('whether %j is a measure: %s', (label, expected) => {
  expect(isMeasure(label)).toBe(expected)
})
