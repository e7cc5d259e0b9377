import { expect, test } from 'vitest'
import { node, type Sketch, text } from '../screen/tree-builder.ts'
import { at, box, drawTitle, TOUCH } from '../screen/structure/toolkit-trees.ts'
import { learnFromPages } from './entries/observed-trees.ts'

const TASKS = [
  ['Water the plants', 'High'],
  ['Call the roofer', 'Medium'],
  ['Buy stamps', 'Low'],
] as const

const list = box(
  at(0, 0, 1080, 2200),
  drawTitle('Tasks'),
  node(
    { scrollable: 'true', ...at(0, 300, 1080, 2200) },
    ...TASKS.map(([name, level], index) => {
      const top = 300 + index * 150
      return node(
        { ...TOUCH, ...at(0, top, 1080, top + 150) },
        text(name, at(40, top + 20, 800, top + 70)),
        text(level, at(40, top + 80, 400, top + 120)),
      )
    }),
  ),
)

const field = (label: string, value: string, top: number): Sketch =>
  node(
    { ...TOUCH, ...at(0, top, 1080, top + 150) },
    text(label, at(40, top + 20, 400, top + 60)),
    text(value, at(40, top + 70, 400, top + 120)),
    text('›', at(1000, top + 50, 1040, top + 100)),
  )

const task = (level: string): Sketch =>
  box(
    at(0, 0, 1080, 2200),
    text('Call the roofer', at(40, 100, 900, 200)),
    field('Level', level, 300),
    field('Group', 'Home', 460),
  )

/** Bare radio buttons with their labels laid over them. */
const dialog = (chosen: string): Sketch =>
  box(
    at(60, 600, 1020, 1400),
    text('Level', at(100, 620, 500, 700)),
    ...['High', 'Medium', 'Low'].flatMap((name, index) => {
      const top = 720 + index * 120
      const radio = { class: 'android.widget.RadioButton', checkable: 'true', checked: String(name === chosen) }
      return [
        node({ ...radio, ...TOUCH, ...at(100, top, 900, top + 120) }),
        text(name, at(140, top + 20, 880, top + 100)),
      ]
    }),
    node({ class: 'android.widget.Button', text: 'OK', ...TOUCH, ...at(800, 1200, 960, 1320) }),
  )

test('an option is named by the label on its radio button, and the field that shows it proves the choice', () => {
  const { inputs, recipe } = learnFromPages(
    'Set the level of a task',
    list,
    { tap: 'Call the roofer' },
    task('Medium'),
    { tap: 'Level' },
    dialog('Medium'),
    { tap: 'High' },
    dialog('High'),
    { tap: 'OK' },
    task('High'),
  )
  expect(inputs).toMatchObject([
    { name: 'task', example: 'Call the roofer' },
    { name: 'level', example: 'High', choices: ['High', 'Medium', 'Low'] },
  ])
  // Rows of the list show the same words, so the field is found by its label.
  expect(recipe?.verification).toMatchObject([
    { selector: { shows: '${inputs.level}', row: [{ part_equals: 'Level' }] } },
  ])
})

test('a window that is drawn on its page asks for a choice, if the page shows the answer', () => {
  const settings = (value: string, ...more: readonly Sketch[]): Sketch =>
    box(
      at(0, 0, 1080, 2200),
      drawTitle('Playback'),
      field('Subtitles', value, 300),
      field('Sound', 'Stereo', 460),
      ...more,
    )
  const window = [
    node({ ...TOUCH, ...at(0, 0, 1080, 2200) }),
    ...['Off', 'English', 'German'].map((name, index) =>
      node({ text: name, ...TOUCH, ...at(100, 1000 + index * 120, 980, 1100 + index * 120) }),
    ),
  ]
  const { inputs } = learnFromPages(
    'Set the subtitles',
    settings('Off'),
    { tap: 'Subtitles' },
    settings('Off', ...window),
    { tap: 'German' },
    settings('German'),
  )
  expect(inputs).toMatchObject([{ example: 'German' }])
})
