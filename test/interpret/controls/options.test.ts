import { expect, test } from 'vitest'
import { interpretTraces } from '../../../src/knowledge/interpret/draft/interpret.ts'
import { node, type Sketch, text } from '../../screen/tree-builder.ts'
import { demonstrate, type Touch } from './demonstration.ts'

const learn = (goal: string, first: Sketch, ...steps: readonly (readonly [Touch, Sketch])[]) =>
  interpretTraces([demonstrate(first, ...steps)], { marks: [], goal })

const button = (label: string, top: number): Sketch =>
  node({ class: 'android.widget.Button', text: label, clickable: 'true', bounds: `[40,${top}][1000,${top + 120}]` })
const dialog = (title: string, ...children: Sketch[]): Sketch =>
  node(
    { bounds: '[60,600][1020,1700]', 'resource-id': 'android:id/parentPanel' },
    text(title, { bounds: '[120,620][900,700]', 'resource-id': 'android:id/alertTitle' }),
    ...children,
  )

test('a label of several check boxes in a window is an input, with its state', () => {
  const labels = ['Family', 'Work', 'Sports', 'Emergency']
  const boxes = (checked: readonly string[]): Sketch =>
    dialog(
      'Labels',
      ...labels.map((label, at) =>
        node({
          class: 'android.widget.CheckBox',
          text: label,
          clickable: 'true',
          checkable: 'true',
          checked: String(checked.includes(label)),
          bounds: `[120,${720 + at * 140}][960,${850 + at * 140}]`,
        }),
      ),
      button('OK', 1500),
    )
  const page = (shown: string): Sketch =>
    node(
      { bounds: '[0,0][1080,2200]' },
      text('Contact', { bounds: '[40,60][800,160]' }),
      text(shown, { bounds: '[40,300][900,360]' }),
      button('Change labels', 1900),
    )
  const { inputs, recipe } = learn(
    'Add a label to a contact',
    page('Work'),
    [{ on: 'Change labels' }, boxes(['Work'])],
    [{ on: 'Sports' }, boxes(['Work', 'Sports'])],
    [{ on: 'OK' }, page('Work, Sports')],
  )
  expect(inputs).toMatchObject([
    { name: 'label', example: 'Sports' },
    { type: 'boolean', default: true },
  ])
  const set = recipe?.steps.find(({ type }) => type === 'set_checked')
  expect(JSON.stringify(set?.selector)).toContain('${inputs.label}')
})

test('a row that shows what was chosen in its window is a fixed target', () => {
  const row = (label: string, value: string, top: number): Sketch =>
    node(
      { clickable: 'true', bounds: `[0,${top}][1080,${top + 160}]` },
      text(label, { bounds: `[40,${top + 10}][600,${top + 70}]` }),
      text(value, { bounds: `[40,${top + 80}][600,${top + 140}]` }),
    )
  const form = (category: string): Sketch =>
    node(
      { bounds: '[0,0][1080,2200]' },
      text('New expense', { bounds: '[40,60][800,160]' }),
      row('Category', category, 300),
      row('Report', 'None', 470),
      button('Save', 1900),
    )
  const menu = dialog(
    'Choose one',
    ...['Hotel', 'Taxi', 'Meals'].map((label, at) =>
      node(
        { clickable: 'true', bounds: `[60,${720 + at * 160}][1020,${870 + at * 160}]` },
        text(label, { bounds: `[120,${740 + at * 160}][900,${800 + at * 160}]` }),
      ),
    ),
  )
  const saved = node(
    { bounds: '[0,0][1080,2200]' },
    text('Expenses', { bounds: '[40,60][800,160]' }),
    text('Saved as Taxi', { bounds: '[40,300][800,380]' }),
  )
  const { inputs, steps } = learn(
    'Add an expense with a category',
    form('Hotel'),
    [{ on: 'Category' }, menu],
    [{ on: 'Taxi' }, form('Taxi')],
    [{ on: 'Save' }, saved],
  )
  expect(inputs.map(({ example }) => example)).toEqual(['Taxi'])
  expect(steps.map(({ kind }) => kind)).toEqual(['press', 'pick', 'press'])
})

const chips = (options: readonly string[], chosen: string, cut: boolean): Sketch =>
  dialog(
    'Choose',
    node(
      { bounds: '[120,800][960,920]' },
      ...options.map((label, at) =>
        node(
          {
            clickable: 'true',
            selected: String(label === chosen),
            bounds: `[${120 + at * 200},800][${310 + at * 200},920]`,
          },
          text(label, { bounds: `[${140 + at * 200},830][${290 + at * 200},890]` }),
        ),
      ),
      ...(cut ? [node({ clickable: 'true', bounds: '[920,800][960,920]' })] : []),
    ),
  )

test.each([
  ['words', ['Low', 'Middle', 'High'], false, true],
  ['words of which one more is cut off', ['Low', 'Middle', 'High'], true, false],
])('%s are a closed list or not', (_, options, cut, isClosed) => {
  const [first = '', second = ''] = options
  const { inputs } = learn('Choose one', chips(options, first, cut), [{ on: second }, chips(options, second, cut)])
  expect(inputs[0]?.choices !== undefined).toBe(isClosed)
})

test('entries in a window above a button are options, by the text that the page then shows', () => {
  const cars = [
    ['Estate', 'KR 482'],
    ['Van', 'WX 90'],
    ['Scooter', 'MO 17'],
  ] as const
  const page = (plate: string): Sketch =>
    node(
      { bounds: '[0,0][1080,2200]' },
      text('Parking', { bounds: '[40,60][800,160]' }),
      text(`Car ${plate}`, { bounds: '[40,400][800,480]' }),
      button('Change', 1900),
    )
  const menu = dialog(
    'Choose a car',
    ...cars.map(([name, plate], at) =>
      node(
        { clickable: 'true', bounds: `[60,${720 + at * 180}][1020,${890 + at * 180}]` },
        text(name, { bounds: `[120,${730 + at * 180}][900,${790 + at * 180}]` }),
        text(plate, { bounds: `[120,${800 + at * 180}][900,${860 + at * 180}]` }),
      ),
    ),
    node({ bounds: '[60,1260][1020,1430]' }, button('Cancel', 1280)),
  )
  const { inputs } = learn('Choose a car', page('KR 482'), [{ on: 'Change' }, menu], [{ on: 'MO 17' }, page('MO 17')])
  expect(inputs).toHaveLength(1)
  expect(inputs[0]).toMatchObject({ type: 'string', example: 'MO 17' })
  // What belongs to a person is not listed in a recipe.
  expect(inputs[0]).not.toHaveProperty('choices')
})
