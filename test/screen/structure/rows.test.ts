import { describe, expect, test } from 'vitest'
import { listCells } from '../../../src/screen/structure/cells.ts'
import { areSimilar } from '../../../src/screen/structure/shape.ts'
import { type ScreenStructure, analyzeStructure } from '../../../src/screen/structure/structure.ts'
import { type Sketch, node, text } from '../tree-builder.ts'
import {
  MESSAGES,
  TOOLKITS,
  TOUCH,
  at,
  box,
  drawChips,
  drawFlutterRows,
  drawScreen,
  drawViewRows,
  findLabelled,
  show,
} from './toolkit-trees.ts'

const listData = (structure: ScreenStructure) =>
  structure.rows.filter(({ group }) => structure.classify(group) === 'data')
const joinCells = (structure: ScreenStructure) =>
  listData(structure).map((row) => listCells(row.node).map(({ text: label }) => label))

describe.each(Object.entries(TOOLKITS))('rows of %s', (_, draw) => {
  test('are the rows of data of the screen, and nothing else is', () => {
    const structure = analyzeStructure(show(drawScreen(draw())))
    const rows = joinCells(structure)
    expect(rows.map(([first]) => first)).toEqual(MESSAGES.map(({ sender }) => sender))
    for (const [index, cells] of rows.entries()) {
      expect(cells).toEqual(expect.arrayContaining(Object.values(MESSAGES[index] ?? {})))
    }
  })

  test('a text in a row belongs to the row, and a title to none', () => {
    const visible = show(drawScreen(draw()))
    const structure = analyzeStructure(visible)
    const inner = visible.find((one) =>
      /Grace Hopper/.test(one.attributes['content-desc'] || one.attributes['text'] || ''),
    )
    const row = inner && structure.findRow(inner)
    expect(row && listCells(row.node).map(({ text: label }) => label)).toContain('Grace Hopper')
    expect(row?.group.direction).toBe('down')
    expect(row?.group.scroller).toBeDefined()
    expect(structure.findRow(findLabelled(visible, 'Mail'))).toBeUndefined()
  })

  test('the only entry of a list is a row as well', () => {
    const structure = analyzeStructure(show(drawScreen(draw(MESSAGES.slice(0, 1)))))
    expect(joinCells(structure).map(([first]) => first)).toEqual(['Ada Byron'])
  })
})

test('a control inside a row belongs to the row and is not a row of its own', () => {
  const visible = show(drawScreen(drawViewRows()))
  const structure = analyzeStructure(visible)
  const stars = visible.filter((one) => one.attributes['content-desc'] === 'Star')
  const rows = stars.map((star) => structure.findRow(star)?.node)
  expect(new Set(rows).size).toBe(MESSAGES.length)
  expect(rows.every((row) => row?.attributes['class'] === 'android.widget.LinearLayout')).toBe(true)
})

test('a row that the edge of the list cuts is a row of the same list', () => {
  const rows = MESSAGES.map(({ sender, subject }, index) => {
    const top = 300 + index * 200
    const place = at(0, top, 1080, Math.min(1000, top + 180))
    const texts = [text(sender, at(40, top + 10, 900, top + 70)), text(subject, at(40, top + 90, 900, top + 150))]
    return box({ ...TOUCH, ...place }, ...(index === 3 ? texts.slice(0, 1) : texts))
  })
  const structure = analyzeStructure(show(box({}, box({ scrollable: 'true', ...at(0, 300, 1080, 1000) }, ...rows))))
  expect(structure.groups.map(({ members }) => members.length)).toEqual([4])
})

test('sections with strips of cards resolve to the cards', () => {
  const sections = ['New', 'Popular'].map((name, section) => {
    const top = 200 + section * 700
    const cards = ['A', 'B', 'C'].map((letter, index) => {
      const left = 40 + index * 340
      return box(
        { ...TOUCH, ...at(left, top + 100, left + 320, top + 600) },
        node({ class: 'android.widget.ImageView', ...at(left, top + 100, left + 320, top + 400) }),
        text(`Film ${letter} of ${name}`, at(left, top + 420, left + 320, top + 480)),
        text('2 hours', at(left, top + 500, left + 320, top + 560)),
      )
    })
    const strip = {
      class: 'android.widget.HorizontalScrollView',
      scrollable: 'true',
      ...at(0, top + 90, 1080, top + 610),
    }
    return box(at(0, top, 1080, top + 620), text(name, at(40, top, 400, top + 80)), node(strip, ...cards))
  })
  const visible = show(box({}, node({ scrollable: 'true', ...at(0, 190, 1080, 2100) }, ...sections)))
  const structure = analyzeStructure(visible)
  const row = structure.findRow(findLabelled(visible, 'Film B of Popular'))
  expect(row && listCells(row.node)[0]?.text).toBe('Film B of Popular')
  expect(row?.group.direction).toBe('across')
  expect(listData(structure)).toHaveLength(6)
})

test('a card with the shape of the rows of a list elsewhere is a list with one entry', () => {
  const card = (label: string, top: number) =>
    box(
      { ...TOUCH, ...at(100, top, 980, top + 200) },
      text(label, at(120, top + 10, 960, top + 80)),
      text(`About ${label}`, at(120, top + 100, 960, top + 170)),
    )
  const panel = (top: number, title: string, ...cards: readonly Sketch[]) =>
    box(at(60, top, 1020, top + 900), text(title, at(100, top, 900, top + 60)), ...cards)
  const page = box(
    { scrollable: 'true' },
    panel(100, 'Now', card('Current', 200)),
    panel(1100, 'Before', card('First', 1200), card('Second', 1420), card('Third', 1640)),
  )
  const structure = analyzeStructure(show(page))
  expect(joinCells(structure).map(([first]) => first)).toEqual(expect.arrayContaining(['Current', 'First', 'Third']))
})

test('a page that fills its scroller is no row, however much it takes touches', () => {
  const page = box(
    { ...TOUCH, ...at(60, 600, 1020, 1500) },
    text('Allow the app to see photos?', at(100, 650, 980, 800)),
    node({ class: 'android.widget.Button', text: 'Allow', ...TOUCH, ...at(100, 1100, 980, 1250) }),
    node({ class: 'android.widget.Button', text: 'Refuse', ...TOUCH, ...at(100, 1300, 980, 1450) }),
  )
  const structure = analyzeStructure(
    show(node({ class: 'android.widget.ScrollView', ...at(60, 600, 1020, 1500) }, page)),
  )
  expect(listData(structure)).toEqual([])
})

test('texts one below the other are no rows outside a list', () => {
  const lines = ['Terms', 'Last changed in May', 'Read them'].map((line, index) =>
    text(line, at(40, 300 + index * 100, 1040, 380 + index * 100)),
  )
  expect(analyzeStructure(show(box({}, ...lines))).groups).toEqual([])
})

test('an empty screen has no structure', () => {
  const structure = analyzeStructure([])
  expect(structure.groups).toEqual([])
  expect(structure.rows).toEqual([])
})

test.each([
  ['the same parts', 2, 2, true],
  ['one optional part of several', 4, 5, true],
  ['other parts', 1, 4, false],
])('subtrees with %s', (_, first, second, similar) => {
  const draw = (count: number) => box(TOUCH, ...Array.from({ length: count }, (__, index) => text(`${index}`)))
  const [root] = show(box({}, draw(first), draw(second)))
  const [a, b] = root?.children ?? []
  expect(a && b && areSimilar(a, b)).toBe(similar)
})

test('the lines of a label are cells with their number, and blank lines have none', () => {
  const [leaf] = show(node({ 'content-desc': 'Milk\n\n2 bottles\n 3.20 € ', ...TOUCH }))
  expect(leaf && listCells(leaf).map(({ text: label, line }) => [label, line])).toEqual([
    ['Milk', 0],
    ['2 bottles', 2],
    ['3.20 €', 3],
  ])
})

test('cells come in reading order; passwords and glyphs of icon fonts are left out', () => {
  const [row] = show(
    box(
      TOUCH,
      text('below', at(40, 200, 400, 260)),
      text('right', at(500, 100, 900, 160)),
      text('left', at(40, 102, 400, 162)),
      text('secret', { password: 'true', ...at(40, 300, 400, 360) }),
      text('\ue8b6', at(40, 400, 100, 460)),
    ),
  )
  expect(row && listCells(row).map(({ text: label }) => label)).toEqual(['left', 'right', 'below'])
})

test('a row in a script that runs from the right is read from the right', () => {
  const [row] = show(
    box(
      TOUCH,
      text('مفتوح', at(40, 100, 200, 160)),
      text('مكتبة المدينة', at(500, 100, 900, 160)),
      text('شارع 5', at(500, 200, 900, 260)),
    ),
  )
  expect(row && listCells(row).map(({ text: label }) => label)).toEqual(['مكتبة المدينة', 'مفتوح', 'شارع 5'])
})

test('chips are no rows, in one line or wrapped', () => {
  for (const perLine of [4, 2]) {
    const structure = analyzeStructure(show(box({}, drawChips(['All', 'Family', 'Work', 'Sport'], perLine))))
    expect(structure.groups.map((group) => structure.classify(group))).toEqual(['choice'])
  }
})

test('rows of one leaf each have their lines as cells', () => {
  const structure = analyzeStructure(show(drawScreen(drawFlutterRows())))
  const [row] = listData(structure)
  expect(row && listCells(row.node).every((cell) => cell.node === row.node)).toBe(true)
})

test('a text that only joins the texts inside a row is no cell of it', () => {
  const link = (title: string, about: string, top: number) =>
    node(
      { text: `${title} ${about}`, ...TOUCH, ...at(0, top, 1080, top + 160) },
      text(title, at(40, top + 20, 600, top + 80)),
      text(about, at(40, top + 90, 600, top + 140)),
    )
  const visible = show(node(at(0, 0, 1080, 2200), link('Paper Moon', '2019 · Drama', 300), link('Sea', '2020', 500)))
  const row = analyzeStructure(visible).findRow(findLabelled(visible, 'Paper Moon'))
  expect(row && listCells(row.node).map(({ text: label }) => label)).toEqual(['Paper Moon', '2019 · Drama'])
})
