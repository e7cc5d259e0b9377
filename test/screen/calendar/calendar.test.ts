import { describe, expect, test } from 'vitest'
import { findCalendar, isChosenDay } from '../../../src/screen/calendar/calendar.ts'
import { findTurnButtons } from '../../../src/screen/calendar/turn-buttons.ts'
import { attribute } from '../../../src/screen/tree/hierarchy.ts'
import { node, screen, type Sketch, text } from '../tree-builder.ts'
import { CALENDARS, button, drawDays, nameMonth } from './calendar-trees.ts'

const find = (sketch: Sketch) => findCalendar(screen(sketch).nodes)
const MAY = { year: 2026, month: 5 }

describe.each(Object.entries(CALENDARS))('a calendar of %s', (_, draw) => {
  test('has the days of its month', () => {
    const calendar = find(draw(MAY))
    expect(calendar?.month).toEqual(MAY)
    expect(calendar?.days.map(({ date }) => date)).toEqual(
      Array.from({ length: 31 }, (_day, at) => ({ ...MAY, day: at + 1 })),
    )
  })

  test('has a button for the next and one for the previous month', () => {
    const { nodes } = screen(draw(MAY))
    const calendar = findCalendar(nodes)
    const { next, previous } = findTurnButtons(calendar ?? expect.fail('no calendar'), nodes)
    expect(next?.bounds).toMatchObject({ left: 900 })
    expect(previous?.bounds?.left).toBeLessThan(900)
  })
})

test('the chosen day is known where the toolkit tells it', () => {
  for (const [name, draw] of Object.entries(CALENDARS)) {
    if (name === 'a web page') continue
    const chosen = find(draw({ ...MAY, chosen: 9 }))?.days.filter(isChosenDay)
    expect(chosen?.map(({ date }) => date.day)).toEqual([9])
  }
})

const plain = (month: { year: number; month: number; top?: number }, digits = (day: number) => String(day)) =>
  drawDays(month, ({ day }, { bounds }) => text(digits(day), { bounds, clickable: 'true' }))

test('days of the months around it are not its days', () => {
  const weeks = plain({ ...MAY, top: 600 })
  const before = [26, 27, 28, 29, 30].map((day, at) =>
    text(String(day), { clickable: 'true', bounds: `[${50 + at * 140},600][${190 + at * 140},740]` }),
  )
  const calendar = find(node({}, text(nameMonth(MAY), { bounds: '[50,420][500,500]' }), ...before, ...weeks))
  expect(calendar?.days).toHaveLength(31)
})

test('numbers of weeks between the days do no harm', () => {
  const days = plain({ ...MAY, top: 600 })
  const weeks = [0, 1, 2, 3, 4, 5].map((at) =>
    text(String(18 + at), { bounds: `[0,${600 + at * 140}][40,${740 + at * 140}]` }),
  )
  const mixed = [weeks[0], ...days.slice(0, 2), weeks[1], ...days.slice(2, 9), weeks[2], ...days.slice(9)]
  const drawn = mixed.filter((one) => one !== undefined)
  const calendar = find(node({}, text(nameMonth(MAY), { bounds: '[50,420][500,500]' }), ...drawn))
  expect(calendar?.days).toHaveLength(31)
})

test('two months below each other are both read', () => {
  const june = { year: 2026, month: 6 }
  const calendar = find(
    node(
      {},
      text(nameMonth(MAY), { bounds: '[50,0][500,90]' }),
      ...plain({ ...MAY, top: 100 }),
      text(nameMonth(june), { bounds: '[50,1000][500,1090]' }),
      ...plain({ ...june, top: 1100 }),
    ),
  )
  expect(calendar?.days).toHaveLength(61)
  expect(calendar?.days.at(-1)?.date).toEqual({ ...june, day: 30 })
})

test.each([
  ['days without a month', node({}, ...plain(MAY))],
  [
    'a column of numbers',
    node(
      {},
      text('May 2026'),
      ...Array.from({ length: 31 }, (_, at) =>
        text(String(at + 1), { bounds: `[0,${100 + at * 60}][200,${160 + at * 60}]` }),
      ),
    ),
  ],
  [
    'a keypad',
    node(
      {},
      text('May 2026', { bounds: '[0,0][500,90]' }),
      ...[1, 2, 3, 4, 5, 6, 7, 8, 9].map((key) => button({ text: String(key) }, (key % 3) * 200, 600)),
    ),
  ],
])('%s is no calendar', (_, sketch) => {
  expect(find(sketch)).toBeUndefined()
})

test('buttons of the year are not taken for those of the month', () => {
  const { nodes } = screen(
    node(
      {},
      button({ 'content-desc': 'Next year' }, 900, 200),
      button({ 'content-desc': 'Next month' }, 900),
      text(nameMonth(MAY), { bounds: '[50,420][500,500]' }),
      ...plain(MAY),
    ),
  )
  const calendar = findCalendar(nodes) ?? expect.fail('no calendar')
  const { next } = findTurnButtons(calendar, nodes)
  expect(next && attribute(next, 'content-desc')).toBe('Next month')
})
