import { expect, test } from 'vitest'
import { node, type Sketch, text } from '../../screen/tree-builder.ts'
import { at, box, drawTitle, TOUCH } from '../../screen/structure/toolkit-trees.ts'
import { learnFromPages } from './observed-trees.ts'

const JOBS = [
  ['Night Porter', 'Grand Hotel', 'Sent 3 May'],
  ['Boat Builder', 'Nyman Yards', 'Sent 9 May'],
  ['Crane Operator', 'Harbour Works', 'Sent 12 May'],
] as const

/** A web page: the title of a record is a link, its other lines stand beside it in the same box. */
const list = (lines: number): Sketch =>
  box(
    at(0, 0, 1080, 2200),
    drawTitle('My applications'),
    node(
      at(0, 300, 1080, 2000),
      ...JOBS.flatMap(([title, ...rest], index) => {
        const top = 300 + index * 260
        return [
          node({ text: title, ...TOUCH, ...at(40, top, 1040, top + 80) }),
          ...rest
            .slice(0, lines)
            .map((line, below) => text(line, at(40, top + 90 + below * 60, 800, top + 140 + below * 60))),
        ]
      }),
    ),
  )
const detail = box(
  at(0, 0, 1080, 2200),
  drawTitle('Application'),
  text('Boat Builder', at(40, 300, 900, 380)),
  node({ class: 'android.widget.Button', text: 'Withdraw', ...TOUCH, ...at(40, 500, 1040, 620) }),
)
const done = box(
  at(0, 0, 1080, 2200),
  drawTitle('Application'),
  text('Boat Builder', at(40, 300, 900, 380)),
  text('Withdrawn', at(40, 500, 900, 580)),
)

const learn = (lines: number) =>
  learnFromPages('Withdraw an application', list(lines), { tap: 'Boat Builder' }, detail, { tap: 'Withdraw' }, done)

test('a link that heads a record of several lines is an entry', () => {
  expect(learn(2).inputs.map(({ example }) => example)).toEqual(['Boat Builder'])
})

test('links without further lines that do not scroll are parts of the app', () => {
  expect(learn(0).inputs).toEqual([])
})

/** Rows without a box: a name, a line and a control. */
const visits = (names: readonly string[], ...more: readonly Sketch[]): Sketch =>
  box(
    at(0, 0, 1080, 2200),
    drawTitle('My visits'),
    node(
      { scrollable: 'true', ...at(0, 300, 1080, 2200) },
      ...names.flatMap((name, index) => {
        const top = 300 + index * 260
        return [
          text(name, at(40, top, 600, top + 60)),
          text('Room 4', at(40, top + 70, 600, top + 120)),
          node({ class: 'android.widget.Button', text: 'Cancel', ...TOUCH, ...at(640, top, 1040, top + 120) }),
        ]
      }),
      ...more,
    ),
  )

test('a control beside the name of a record acts on the record, which is gone afterwards', () => {
  const { inputs, recipe } = learnFromPages(
    'Cancel a visit',
    visits(['Dentist', 'Eye test', 'Check-up', 'Blood test']),
    { tap: 'Cancel', nth: 1 },
    visits(['Dentist', 'Check-up', 'Blood test']),
  )
  expect(inputs).toMatchObject([{ name: 'visit', example: 'Eye test' }])
  const row = [{ part_equals: '${inputs.visit}' }]
  expect(recipe?.steps).toMatchObject([{ selector: { text_equals: 'Cancel', row } }])
  // Further down the list may show it among what was cancelled, where it has no such control.
  expect(recipe?.verification?.filter(({ present }) => present === false)).toMatchObject([
    { selector: { part_equals: '${inputs.visit}' } },
    { selector: { text_equals: 'Cancel', row }, whole_list: true },
  ])
  expect(recipe?.verification?.[1]).not.toHaveProperty('whole_list')
})
