import { expect, test } from 'vitest'
import { listCells } from '../../../src/screen/structure/cells.ts'
import { describeWay, followWay, isFlatRow } from '../../../src/screen/structure/flat-rows.ts'
import { analyzeStructure } from '../../../src/screen/structure/structure.ts'
import { matchTarget } from '../../../src/screen/matcher.ts'
import { type Sketch, node, screen, text } from '../tree-builder.ts'
import { TOUCH, at, box, drawTitle, findLabelled, show } from './toolkit-trees.ts'

const button = (label: string, place: Readonly<Record<string, string>>): Sketch =>
  node({ class: 'android.widget.Button', text: label, ...TOUCH, ...place })

/** A list whose rows have no box: a name, a line and two controls, one after the other. */
const drawVisits = (names: readonly string[]): Sketch =>
  box(
    at(0, 0, 1080, 2200),
    drawTitle('Visits'),
    node(
      { scrollable: 'true', ...at(0, 300, 1080, 2200) },
      text('Upcoming', at(40, 300, 400, 360)),
      ...names.flatMap((name, index) => {
        const top = 400 + index * 300
        return [
          text(name, at(40, top, 600, top + 60)),
          text('Room 4', at(40, top + 70, 600, top + 120)),
          button('Move', at(40, top + 130, 400, top + 240)),
          button('Cancel', at(420, top + 130, 800, top + 240)),
        ]
      }),
    ),
  )

const NAMES = ['Dentist', 'Eye test', 'Check-up'] as const

test('parts that repeat in one box are rows, and a control belongs to the row of its name', () => {
  const visible = show(drawVisits(NAMES))
  const structure = analyzeStructure(visible)
  const cancels = visible.filter((one) => one.attributes['text'] === 'Cancel')
  const rows = cancels.map((one) => structure.findRow(one))
  expect(rows.map((row) => row && listCells(row.node)[0]?.text)).toEqual(NAMES)
  expect(rows.every((row) => row !== undefined && structure.classify(row.group) === 'data')).toBe(true)
  expect(structure.findRow(findLabelled(visible, 'Upcoming'))).toBeUndefined()
  expect(structure.groups.some(({ members }) => members.some((member) => cancels.includes(member)))).toBe(false)
})

test('a matcher finds the control in the row of a name', () => {
  const matcher = { textEquals: 'Cancel', row: [{ partEquals: 'Eye test' }] }
  const found = matchTarget(screen(drawVisits(NAMES)), { matcher })
  expect(found.kind === 'found' && found.nodes.map(({ attributes }) => attributes['bounds'])).toEqual([
    '[420,830][800,940]',
  ])
})

test('the way to a part of a row leads to the same part of another row', () => {
  const visible = show(drawVisits(NAMES))
  const structure = analyzeStructure(visible)
  const [first, second] = structure.rows.filter(({ node: one }) => isFlatRow(one))
  const cancel = first?.node.children[3]
  if (first === undefined || second === undefined || cancel === undefined) return expect.fail('there are no rows')
  expect(followWay(second.node, describeWay(first.node, cancel))).toBe(second.node.children[3])
})

test('a radio button and the label after it are one option', () => {
  const radio = (name: string, index: number): Sketch[] => {
    const top = 300 + index * 120
    const place = at(100, top, 900, top + 120)
    return [
      node({ class: 'android.widget.RadioButton', checkable: 'true', ...TOUCH, ...place }),
      text(name, at(140, top + 20, 880, top + 100)),
    ]
  }
  const visible = show(box(at(60, 200, 1000, 900), ...['High', 'Medium', 'Low'].flatMap(radio)))
  const structure = analyzeStructure(visible)
  const radios = visible.filter((one) => one.attributes['class'] === 'android.widget.RadioButton')
  const rows = radios.map((one) => structure.findRow(one))
  expect(rows.map((row) => row && listCells(row.node).map(({ text: label }) => label))).toEqual([
    ['High'],
    ['Medium'],
    ['Low'],
  ])
  expect(rows[0] && structure.classify(rows[0].group)).toBe('choice')
})

const listFlat = (...children: readonly Sketch[]) =>
  analyzeStructure(show(box(at(0, 0, 1080, 2200), ...children))).rows.filter(({ node: one }) => isFlatRow(one))
const line = (index: number) => at(40, 300 + index * 140, 1040, 420 + index * 140)

test('the labels and fields of a form are no rows', () => {
  const fields = ['Name', 'Street', 'City'].flatMap((name, index) => [
    text(name, line(index * 2)),
    node({ class: 'android.widget.EditText', ...TOUCH, ...line(index * 2 + 1) }),
  ])
  expect(listFlat(...fields)).toEqual([])
})

test('headings with the same number of rows below each are no rows', () => {
  const sections = ['Sound', 'Screen', 'Power'].flatMap((name, index) => [
    text(name, line(index * 3)),
    button(`${name} mode`, line(index * 3 + 1)),
    button(`${name} profile`, line(index * 3 + 2)),
  ])
  expect(listFlat(...sections)).toEqual([])
})

test('texts that nothing can be done with are no rows', () => {
  const texts = ['Eggs', 'Flour', 'Milk'].flatMap((name, index) => [
    text(String(index + 2), at(40, 300 + index * 100, 200, 380 + index * 100)),
    text(name, at(240, 300 + index * 100, 900, 380 + index * 100)),
  ])
  expect(listFlat(...texts)).toEqual([])
})

test('two columns of cards are no rows', () => {
  const cards = [0, 1, 2].flatMap((index) =>
    [0, 1].flatMap((column) => {
      const [left, top] = [column * 540, 300 + index * 400]
      return [
        text(`Plant ${index}${column}`, at(left, top, left + 500, top + 80)),
        button('Water', at(left, top + 90, left + 500, top + 200)),
      ]
    }),
  )
  expect(listFlat(...cards)).toEqual([])
})

/** Rows of five parts. Those that are active have a status more. */
const drawCoupons = (coupons: readonly (readonly [name: string, isActive: boolean])[]): Sketch =>
  box(
    at(0, 0, 1080, 2200),
    drawTitle('Coupons'),
    node(
      { scrollable: 'true', ...at(0, 300, 1080, 2200) },
      text('3 of 10 coupons', at(0, 300, 600, 350)),
      ...coupons.flatMap(([name, isActive], index) => {
        const top = 380 + index * 300
        return [
          text(`${index + 1}0 % off`, at(40, top, 900, top + 50)),
          text(name, at(40, top + 55, 600, top + 110)),
          button('Details', at(40, top + 120, 300, top + 240)),
          ...(isActive ? [text('Active', at(400, top + 120, 600, top + 240))] : []),
          button(isActive ? 'Remove' : 'Use', at(700, top + 120, 1000, top + 240)),
        ]
      }),
    ),
  )

test('a row with a part more than the others is a row of the same list', () => {
  const coupons = [
    ['Bread', false],
    ['Yoghurt', true],
    ['Berries', false],
    ['Coffee', false],
    ['Tea', true],
  ] as const
  const visible = show(drawCoupons(coupons))
  const structure = analyzeStructure(visible)
  const rows = structure.rows.filter(({ node: one }) => isFlatRow(one))
  expect(rows.map(({ node: one }) => listCells(one)[1]?.text)).toEqual(coupons.map(([name]) => name))
  expect(new Set(rows.map(({ group }) => group)).size).toBe(1)
  const remove = visible.findLast((one) => one.attributes['text'] === 'Remove')
  expect(remove && listCells(structure.findRow(remove)?.node ?? remove).map((cell) => cell.text)).toContain('Tea')
})

test('a text and a button below a list are no row of it, but a row that the edge cuts is one', () => {
  const limit = (name: string, index: number): Sketch[] => {
    const top = 300 + index * 200
    return [
      text(name, at(40, top, 500, top + 60)),
      button('Less', at(550, top, 680, top + 120)),
      text(`${20 + index} %`, at(700, top, 880, top + 60)),
      button('More', at(900, top, 1030, top + 120)),
    ]
  }
  const limits = ['Least', 'Most'].flatMap(limit)
  const below = [text('This takes longer.', at(40, 720, 800, 780)), button('Save', at(40, 800, 1030, 920))]
  const cut = [text('Usual', at(40, 720, 500, 780)), button('Less', at(550, 720, 680, 840))]
  const names = (...more: readonly Sketch[]) =>
    listFlat(...limits, ...more).map(({ node: row }) => listCells(row)[0]?.text)
  expect(names(...below)).toEqual(['Least', 'Most'])
  expect(names(...cut)).toEqual(['Least', 'Most', 'Usual'])
})

test('the titles of a page and of a part of it, each beside a button, are no rows', () => {
  const heads = (left: number): Sketch =>
    box(
      at(0, 0, 1080, 2200),
      text('Riverside 14', at(24, 132, 948, 204)),
      button('Switch home', at(948, 114, 1056, 222)),
      text('Guest access', at(left, 303, 768, 363)),
      button('Add code', at(768, 270, 1032 + left - 48, 396)),
    )
  const count = (sketch: Sketch) => analyzeStructure(show(sketch)).rows.filter(({ node: one }) => isFlatRow(one)).length
  expect(count(heads(48))).toBe(0)
  expect(count(heads(24))).toBe(2)
})

/** Rows of a name, a line and a switch. The lower edge cuts the last one after its name. */
const drawCut = (names: readonly string[]): Sketch =>
  box(
    at(0, 0, 1080, 2200),
    drawTitle('Alarms'),
    node(
      { scrollable: 'true', ...at(0, 300, 1080, 2200) },
      ...names.flatMap((name, index) => {
        const top = 300 + index * 300
        const line = text(`0${index}:30 every day`, at(40, top + 70, 600, top + 120))
        return [
          text(name, at(40, top, 600, top + 60)),
          ...(index < names.length - 1 ? [line] : []),
          node({ 'content-desc': 'Off', ...TOUCH, ...at(900, top, 1040, top + 120) }),
        ]
      }),
    ),
  )

test('rows are those of the whole list, not the last two of which one is cut', () => {
  const visible = show(drawCut(['Early', 'Work', 'Walk', 'Pills', 'Late']))
  const structure = analyzeStructure(visible)
  const switches = visible.filter((one) => one.attributes['content-desc'] === 'Off')
  const rows = switches.map((one) => structure.findRow(one))
  expect(rows.map((row) => row && listCells(row.node)[0]?.text)).toEqual(['Early', 'Work', 'Walk', 'Pills', 'Late'])
})

/** Rows that open a page, each with a button below it, and a note above the button of one. */
const drawPlaces = (names: readonly string[], wide = false): Sketch =>
  box(
    at(0, 0, 1080, 2200),
    drawTitle('Places'),
    node(
      { scrollable: 'true', ...at(0, 300, 1080, 2200) },
      ...names.flatMap((name, index) => {
        const top = 300 + index * 400
        const noted = index === 1 ? [text('Go early', at(40, top + 120, 600, top + 170))] : []
        return [
          node(
            { ...TOUCH, ...at(40, top, 1040, top + 120) },
            text(name, at(40, top, 600, top + 60)),
            text(`${index + 2} km away`, at(40, top + 60, 600, top + 110)),
          ),
          ...noted,
          button('Write', at(40, top + 170, wide ? 1040 : 300, top + 280)),
        ]
      }),
    ),
  )

const listKeys = (sketch: Sketch, label: string) => {
  const visible = show(sketch)
  const structure = analyzeStructure(visible)
  const buttons = visible.filter((one) => one.attributes['text'] === label)
  return buttons.map((one) => listCells(structure.findRow(one)?.node ?? one)[0]?.text)
}

test('a button below a row that opens a page belongs to that row, also below a text more', () => {
  const names = ['Harbour', 'Old mill', 'Market', 'Tower']
  expect(listKeys(drawPlaces(names), 'Write')).toEqual(names)
})

test('what is as wide as the rows is a row itself', () => {
  expect(listKeys(drawPlaces(['Harbour', 'Old mill', 'Market'], true), 'Write')).toEqual(['Write', 'Write', 'Write'])
})
