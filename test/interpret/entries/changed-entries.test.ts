import { expect, test } from 'vitest'
import { node, type Sketch, text } from '../../screen/tree-builder.ts'
import { at, box, drawTitle, TOUCH } from '../../screen/structure/toolkit-trees.ts'
import { learnFromPages } from './observed-trees.ts'

interface Line {
  readonly name: string
  readonly about: string
}

const list = (title: string, control: string | undefined, lines: readonly Line[], ...more: readonly Sketch[]): Sketch =>
  box(
    at(0, 0, 1080, 2200),
    drawTitle(title),
    node(
      { scrollable: 'true', ...at(0, 300, 1080, 2000) },
      ...lines.map(({ name, about }, index) => {
        const top = 300 + index * 200
        return node(
          { ...TOUCH, ...at(0, top, 1080, top + 180) },
          text(name, at(40, top + 20, 700, top + 80)),
          text(about, at(40, top + 90, 700, top + 140)),
          ...(control === undefined
            ? []
            : [node({ class: 'android.widget.Button', text: control, ...TOUCH, ...at(760, top, 1060, top + 120) })]),
        )
      }),
    ),
    ...more,
  )

test('a value of the entry that nothing explains must be another one than before', () => {
  const loans = (due: string): Sketch =>
    list('Your loans', 'Renew', [
      { name: 'Piranesi', about: 'Due 25 October' },
      { name: 'Circe', about: due },
      { name: 'Emma', about: 'Due 31 October' },
    ])
  const { inputs, recipe } = learnFromPages(
    'Renew a loan',
    loans('Due 28 October'),
    { tap: 'Renew', nth: 1 },
    loans('Due 18 November'),
  )
  expect(inputs).toMatchObject([{ example: 'Circe' }])
  const name = inputs[0]?.name ?? ''
  expect(recipe?.verification).toMatchObject([
    { changed: true, selector: { text_contains: 'Due', row: [{ part_equals: `\${inputs.${name}}` }] } },
  ])
  // A second renewal is no mistake, so the run does not ask whether it was done.
  expect(recipe?.steps.map(({ type }) => type)).not.toContain('expect')
})

test('a number is proved by the part of a label that shows it, if another part showed it before', () => {
  const modes = (about: string): Sketch =>
    list('Modes', undefined, [
      { name: 'Outdoor', about: 'Volume 7 · Alarm 9' },
      { name: 'Meeting', about },
      { name: 'Night', about: 'Volume 1 · Alarm 4' },
    ])
  const mode = (volume: string): Sketch =>
    box(
      at(0, 0, 1080, 2200),
      drawTitle('Meeting'),
      text('Volume', at(40, 320, 400, 400)),
      node({ class: 'android.widget.Button', 'content-desc': 'Quieter', ...TOUCH, ...at(500, 300, 620, 420) }),
      text(volume, at(640, 320, 800, 400)),
      node({ class: 'android.widget.Button', 'content-desc': 'Louder', ...TOUCH, ...at(820, 300, 940, 420) }),
      node({ class: 'android.widget.Button', text: 'Save', ...TOUCH, ...at(40, 600, 1040, 720) }),
    )
  const { recipe, inputs } = learnFromPages(
    'Set the volume of a mode',
    modes('Volume 1 · Alarm 2'),
    { tap: 'Meeting' },
    mode('1'),
    { tap: 'Louder' },
    mode('2'),
    { tap: 'Save' },
    modes('Volume 2 · Alarm 2'),
  )
  expect(inputs).toMatchObject([{ name: 'mode' }, { name: 'volume', example: '2' }])
  expect(recipe?.verification).toMatchObject([
    { selector: { part_equals: 'Volume ${inputs.volume}', row: [{ part_equals: '${inputs.mode}' }] } },
  ])
})

test('a counter that moved by the given number proves more than opening the entry again', () => {
  const menu = (count: number): Sketch =>
    list(
      'Menu',
      undefined,
      [
        { name: 'Soup', about: 'With bread' },
        { name: 'Salad', about: 'With nuts' },
        { name: 'Stew', about: 'With rice' },
      ],
      node({ 'content-desc': `View cart, ${count} items`, ...TOUCH, ...at(0, 2060, 1080, 2200) }),
    )
  const dish = (count: string): Sketch =>
    box(
      at(0, 0, 1080, 2200),
      drawTitle('Salad'),
      node({ class: 'android.widget.Button', 'content-desc': 'Fewer', ...TOUCH, ...at(500, 300, 620, 420) }),
      text(count, at(640, 320, 800, 400)),
      node({ class: 'android.widget.Button', 'content-desc': 'More', ...TOUCH, ...at(820, 300, 940, 420) }),
      node({ class: 'android.widget.Button', text: 'Add', ...TOUCH, ...at(40, 600, 1040, 720) }),
    )
  const { recipe } = learnFromPages(
    'Put a dish into the cart',
    menu(1),
    { tap: 'Salad' },
    dish('1'),
    { tap: 'More' },
    dish('2'),
    { tap: 'Add' },
    menu(3),
  )
  expect(recipe?.verification).toMatchObject([
    { changed_by: '${inputs.quantity}', selector: { part_equals: 'View cart' } },
  ])
  expect(recipe?.steps.map(({ id }) => id)).not.toContain('choose_dish_again')
})
