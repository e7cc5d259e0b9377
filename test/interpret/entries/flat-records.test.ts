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
