import { expect, test } from 'vitest'
import { node, type Sketch, text } from '../../screen/tree-builder.ts'
import { at, box, drawTitle, TOUCH } from '../../screen/structure/toolkit-trees.ts'
import { learnFromPages } from '../entries/observed-trees.ts'

const button = (label: string, index: number, selected: boolean): Sketch =>
  node({
    class: 'android.widget.Button',
    text: label,
    selected: String(selected),
    ...TOUCH,
    ...at(40, 400 + index * 150, 1040, 520 + index * 150),
  })

const page = (title: string, ...parts: readonly Sketch[]): Sketch =>
  box(at(0, 0, 1080, 2200), drawTitle(title), ...parts)
const result = (size: string): Sketch => page('Your order', text(`Ordered: ${size}`, at(40, 400, 1000, 480)))

const sizes = (names: readonly string[], chosen: string): Sketch =>
  page('New order', ...names.map((name, index) => button(name, index, name === chosen)), button('Order now', 3, false))

const learn = (names: readonly [string, string, string]) =>
  learnFromPages(
    'Order a shirt in a size',
    sizes(names, names[0]),
    { tap: names[1] },
    sizes(names, names[1]),
    { tap: 'Order now' },
    result(names[1]),
  )

test('a button like the options that leaves the page is none of them', () => {
  const { inputs, steps } = learn(['Small', 'Medium', 'Large'])
  expect(inputs).toMatchObject([{ example: 'Medium', choices: ['Small', 'Medium', 'Large'] }])
  expect(steps.map(({ kind }) => kind)).toEqual(['pick', 'press'])
})

test('times that are offered are no fixed set of options', () => {
  const { inputs } = learn(['07:30', '12:45', '18:00'])
  expect(inputs).toMatchObject([{ example: '12:45' }])
  expect(inputs[0]).not.toHaveProperty('choices')
})

test('the part of a page around the options is no option', () => {
  const radio = (label: string, top: number, checked: boolean): Sketch =>
    node({
      class: 'android.widget.RadioButton',
      text: label,
      checkable: 'true',
      checked: String(checked),
      ...TOUCH,
      ...at(40, top, 1040, top + 100),
    })
  const form = (chosen: string, ...more: readonly Sketch[]): Sketch =>
    page(
      'Details',
      box(
        at(0, 300, 1080, 1200),
        text('Street', at(40, 300, 400, 360)),
        node({ class: 'android.widget.EditText', text: 'Main Road', ...TOUCH, ...at(40, 370, 1040, 480) }),
        ...['By mail', 'By phone', 'Not at all'].map((label, index) =>
          radio(label, 500 + index * 110, label === chosen),
        ),
        node({ class: 'android.widget.Button', text: 'Save', ...TOUCH, ...at(40, 900, 400, 1000) }),
        ...more,
      ),
      box(
        at(0, 1300, 1080, 1500),
        text('Opening hours', at(40, 1300, 600, 1360)),
        text('Contact', at(40, 1380, 600, 1440)),
      ),
    )
  const { inputs, steps } = learnFromPages(
    'Change how I am contacted',
    form('By mail'),
    { tap: 'By phone' },
    form('By phone'),
    { tap: 'Save' },
    form('By phone', text('Your changes have been saved.', at(40, 1020, 900, 1080))),
  )
  expect(inputs).toMatchObject([{ example: 'By phone' }])
  expect(steps.map(({ kind }) => kind)).toEqual(['pick', 'press'])
})
