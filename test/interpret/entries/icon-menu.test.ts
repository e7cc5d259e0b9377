import { expect, test } from 'vitest'
import { node, type Sketch, text } from '../../screen/tree-builder.ts'
import { at, box, drawTitle, TOUCH } from '../../screen/structure/toolkit-trees.ts'
import { learnFromPages } from './observed-trees.ts'

const icon = node({
  class: 'android.widget.ImageButton',
  'content-desc': 'Options',
  ...TOUCH,
  ...at(960, 60, 1060, 160),
})
const page = (...parts: readonly Sketch[]): Sketch => box(at(0, 0, 1080, 2200), drawTitle('Drill'), ...parts)
const row = (label: string, top: number): Sketch =>
  node({ ...TOUCH, ...at(500, top, 1060, top + 120) }, text(label, at(540, top + 20, 1020, top + 100)))
const popup = (...parts: readonly Sketch[]): Sketch => box(at(500, 160, 1060, 700), ...parts)
const ROWS = ['Lend out', 'Take a picture', 'Shred'].map((label, index) => row(label, 200 + index * 140))
const lent = page(text('Lent', at(40, 400, 600, 480)))

test('a row of a menu that an icon opens is a part of the app', () => {
  const { inputs, described } = learnFromPages(
    'Note that a thing is away',
    page(icon),
    { tap: 'Options' },
    popup(...ROWS),
    { tap: 'Lend out' },
    lent,
  )
  expect(inputs).toEqual([])
  expect(described).toContain('Press Lend out')
})

test('a row of a window that says what is chosen is an entry', () => {
  const { inputs } = learnFromPages(
    'Note who has a thing',
    page(icon),
    { tap: 'Options' },
    popup(
      text('Choose a person', at(540, 170, 1020, 195)),
      ...['Ida Berg', 'Tom Falk', 'Zoe Lind'].map((name, at_) => row(name, 240 + at_ * 140)),
    ),
    { tap: 'Ida Berg' },
    page(text('Ida Berg', at(40, 400, 600, 480))),
  )
  expect(inputs.map(({ example }) => example)).toEqual(['Ida Berg'])
})
