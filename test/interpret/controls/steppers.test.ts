import { describe, expect, test } from 'vitest'
import { normalizeTrace } from '../../../src/knowledge/interpret/normalize/normalize.ts'
import { node, type Sketch, text } from '../../screen/tree-builder.ts'
import { demonstrate, type Touch } from './demonstration.ts'

type Attributes = Readonly<Record<string, string>>

const at = (left: number, top: number, right: number, bottom: number): string => `[${left},${top}][${right},${bottom}]`
const press = (label: Attributes, left: number, top: number, more: Attributes = {}): Sketch =>
  node({
    class: 'android.widget.Button',
    clickable: 'true',
    bounds: at(left, top, left + 120, top + 120),
    ...label,
    ...more,
  })
const page = (...children: Sketch[]): Sketch =>
  node({ bounds: '[0,0][1080,2200]' }, text('Order', { bounds: '[40,60][800,160]' }), ...children)

const read = (first: Sketch, ...steps: readonly (readonly [Touch, Sketch])[]) =>
  normalizeTrace(demonstrate(first, ...steps), new Set()).intents.map(({ kind, adjustment }) =>
    adjustment === undefined
      ? kind
      : [
          adjustment.from,
          adjustment.to,
          ...[adjustment.increase, adjustment.decrease].map(
            (one) => one?.attributes['content-desc'] || one?.attributes['text'],
          ),
        ],
  )

describe('the number between two buttons is set, whatever else changes', () => {
  const STEPPERS: Readonly<Record<string, (count: number) => Sketch[]>> = {
    'side by side': (count) => [
      press({ text: '−' }, 600, 400),
      text(String(count), { bounds: at(740, 430, 820, 490) }),
      press({ text: '+' }, 840, 400),
    ],
    'above each other': (count) => [
      press({ 'content-desc': '+' }, 600, 300),
      text(String(count), { bounds: at(620, 440, 700, 500) }),
      press({ 'content-desc': '−' }, 600, 520),
    ],
    'with words of a language that is not known': (count) => [
      press({ text: 'vähemmän', 'content-desc': '−' }, 600, 400),
      text(`${count} kpl`, { bounds: at(740, 430, 820, 490) }),
      press({ text: 'enemmän', 'content-desc': '+' }, 840, 400),
    ],
    'with a field for the number': (count) => [
      press({ text: '−' }, 600, 400),
      node({
        class: 'android.widget.EditText',
        clickable: 'true',
        text: String(count),
        bounds: at(740, 400, 820, 520),
      }),
      press({ text: '+' }, 840, 400),
    ],
    'with a description, as Flutter has it': (count) => [
      press({ 'content-desc': '−' }, 600, 400),
      node({ 'content-desc': String(count), bounds: at(740, 430, 820, 490) }),
      press({ 'content-desc': '+' }, 840, 400),
    ],
  }

  test.each(Object.entries(STEPPERS))('%s', (_, draw) => {
    const order = (count: number) =>
      page(
        ...draw(count),
        text(`${count * 250} g flour`, { bounds: at(40, 700, 900, 760) }),
        text(`€${count * 4}.00`, { bounds: at(40, 800, 900, 860) }),
      )
    const intents = read(order(2), [{ on: '+' }, order(3)], [{ on: '+' }, order(4)])
    expect(intents).toHaveLength(1)
    expect(intents[0]?.slice(0, 2)).toEqual([2, 4])
  })
})

test('a button that says it steps sets the only number, wherever it is', () => {
  const draw = (count: number) =>
    page(text(`Snooze for ${count} minutes`, { bounds: at(40, 300, 900, 360) }), press({ text: 'More' }, 40, 1900))
  expect(read(draw(5), [{ on: 'More' }, draw(10)])).toEqual([[5, 10, 'More', undefined]])
})

test('an option that changes the price is no stepper', () => {
  const draw = (size: string, price: number) =>
    page(
      press({ text: 'Small' }, 40, 400, { selected: String(size === 'Small') }),
      press({ text: 'Large' }, 400, 400, { selected: String(size === 'Large') }),
      text(`€${price}.00`, { bounds: at(200, 430, 360, 490) }),
    )
  expect(read(draw('Small', 8), [{ on: 'Large' }, draw('Large', 11)])).toEqual(['press'])
})

test('a row of a list that is counted is no stepper', () => {
  const draw = (count: number) =>
    page(
      press({ text: 'Ann' }, 40, 400, { bounds: at(0, 400, 1080, 560) }),
      press({ text: 'Bob' }, 40, 560, { bounds: at(0, 560, 1080, 720) }),
      text(`${count} of 8 members`, { bounds: at(40, 300, 900, 360) }),
    )
  expect(read(draw(1), [{ on: 'Ann' }, draw(2)])).toEqual(['press'])
})

test('rows that move up after an entry was removed are no numbers that changed', () => {
  const list = (...minutes: number[]) =>
    page(
      ...minutes.map((one, index) => text(`${one} min`, { bounds: at(40, 600 + index * 200, 900, 660 + index * 200) })),
    )
  const menu = node(
    { bounds: '[0,0][1080,2200]' },
    text('Order', { bounds: '[40,60][800,160]' }),
    text('20 min', { bounds: at(40, 600, 900, 660) }),
    text('35 min', { bounds: at(40, 800, 900, 860) }),
    press({ text: 'Less' }, 600, 300),
  )
  expect(read(menu, [{ on: 'Less' }, list(35, 50)])).toEqual(['press'])
})
