import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { UiNode } from '../../../src/screen/tree/hierarchy.ts'
import { listCells } from '../../../src/screen/structure/cells.ts'
import { chooseKey } from '../../../src/screen/structure/row-key.ts'
import { analyzeStructure } from '../../../src/screen/structure/structure.ts'
import { type Sketch, node } from '../tree-builder.ts'
import { MESSAGES, TOOLKITS, box, drawScreen, show } from './toolkit-trees.ts'
import { countRuns } from '../../kit/count-runs.ts'

type Draw = (typeof TOOLKITS)[keyof typeof TOOLKITS]
const toolkit = fc.constantFrom<Draw>(...Object.values(TOOLKITS))

/** What the analysis finds, without nodes: for each row its class, texts and key. */
function describeRows(visible: readonly UiNode[]): string[] {
  const structure = analyzeStructure(visible)
  return structure.rows.map((row) =>
    JSON.stringify([
      structure.classify(row.group),
      row.group.direction,
      row.group.members.length,
      listCells(row.node).map(({ text }) => text),
      chooseKey(row, []).map(({ text }) => text),
    ]),
  )
}

/** Puts the node with the given number, in tree order, into boxes of its size. */
function wrapNode(sketch: Sketch, number: number, boxes: number): Sketch {
  let count = -1
  const walk = (one: Sketch): Sketch => {
    count += 1
    const levels = count === number ? boxes : 0
    let result: Sketch = { attributes: one.attributes, children: one.children.map(walk) }
    for (let level = 0; level < levels; level += 1) result = box({ bounds: one.attributes['bounds'] ?? '' }, result)
    return result
  }
  return walk(sketch)
}

test('boxes around any node do not change the analysis', () => {
  fc.assert(
    fc.property(toolkit, fc.nat(40), fc.integer({ min: 1, max: 3 }), (draw, number, boxes) => {
      const page = drawScreen(draw())
      expect(describeRows(show(wrapNode(page, number, boxes)))).toEqual(describeRows(show(page)))
    }),
    { numRuns: countRuns(60) },
  )
})

test('rows in another order are the same rows', () => {
  fc.assert(
    fc.property(toolkit, fc.shuffledSubarray([...MESSAGES], { minLength: MESSAGES.length }), (draw, messages) => {
      const [first, second] = [draw(), draw(messages)].map((rows) => describeRows(show(drawScreen(rows))).toSorted())
      expect(second).toEqual(first)
    }),
    { numRuns: countRuns(40) },
  )
})

const word = fc.stringMatching(/^[A-Za-zа-я가-힣]{3,12}$/)
const message = fc.record({ sender: word, subject: word, time: fc.constantFrom('9:41', '10:02', '23:59') })

test('other texts do not change the groups', () => {
  const describeGroups = (visible: readonly UiNode[]) => {
    const structure = analyzeStructure(visible)
    return structure.groups.map((group) => [
      structure.classify(group),
      group.holder.path,
      group.members.map(({ path }) => path),
    ])
  }
  fc.assert(
    fc.property(toolkit, fc.array(message, { minLength: 4, maxLength: 4 }), (draw, messages) => {
      expect(describeGroups(show(drawScreen(draw(messages))))).toEqual(describeGroups(show(drawScreen(draw()))))
    }),
    { numRuns: countRuns(40) },
  )
})

/** Any tree: boxes, leaves and lists with places that may overlap or be empty. */
const drawAny = (depth: number): fc.Arbitrary<Sketch> =>
  fc
    .record({
      type: fc.constantFrom('android.view.View', 'android.widget.TextView', 'android.widget.Button', 'x.RecyclerView'),
      label: fc.constantFrom('', '', 'One', 'Two\nlines', '12:30'),
      touch: fc.boolean(),
      scrollable: fc.boolean(),
      left: fc.nat(1000),
      top: fc.nat(2000),
      width: fc.nat(400),
      height: fc.nat(300),
      children: depth === 0 ? fc.constant([]) : fc.array(drawAny(depth - 1), { maxLength: 4 }),
    })
    .map(({ type, label, touch, scrollable, left, top, width, height, children }) =>
      node(
        {
          class: type,
          'content-desc': label,
          clickable: `${touch}`,
          scrollable: `${scrollable}`,
          bounds: `[${left},${top}][${left + width},${top + height}]`,
        },
        ...children,
      ),
    )
const anySketch = drawAny(3)

test('rows of any tree are visible, distinct and not inside each other', () => {
  fc.assert(
    fc.property(fc.array(anySketch, { minLength: 1, maxLength: 4 }), (sketches) => {
      const visible = show(box({}, ...sketches))
      const structure = analyzeStructure(visible)
      const known = new Set(visible)
      const rows = structure.rows.map((row) => row.node)
      expect(new Set(rows).size).toBe(rows.length)
      for (const row of structure.rows) {
        expect(known.has(row.node)).toBe(true)
        expect(row.group.members).toContain(row.node)
        expect(structure.findRow(row.node)).toBe(row)
        expect(rows.some((other) => row.node.path.startsWith(`${other.path}.`))).toBe(false)
        const cells = listCells(row.node)
        expect(chooseKey(row, []).every((cell) => cells.some(({ text }) => text === cell.text))).toBe(true)
      }
    }),
    { numRuns: countRuns(150) },
  )
})

/** Counts how often the analysis reads the children of nodes. */
function countReads(rows: number, draw: Draw): number {
  const messages = Array.from({ length: rows }, (_, index) => ({
    sender: `Sender ${index}`,
    subject: `Subject ${index % 7}`,
    time: `${index % 24}:00`,
  }))
  let reads = 0
  const visible = show(drawTall(draw(messages)))
  const watched = new Map<UiNode, UiNode>()
  for (const one of visible) {
    const children = one.children.flatMap((child) => child)
    const copy = { ...one, parent: one.parent === null ? null : (watched.get(one.parent) ?? null) }
    Object.defineProperty(copy, 'children', {
      get: () => {
        reads += 1
        return children.flatMap((child) => watched.get(child) ?? [])
      },
    })
    watched.set(one, copy)
  }
  const structure = analyzeStructure([...watched.values()])
  for (const group of structure.groups) structure.classify(group)
  expect(structure.rows.length).toBeGreaterThanOrEqual(rows)
  return reads
}

/** A window high enough for any number of rows. */
function drawTall(rows: Sketch): Sketch {
  const bounds = '[0,0][1080,900000]'
  return box({ bounds }, { ...rows, attributes: { ...rows.attributes, bounds } })
}

test.each(Object.entries(TOOLKITS))('twice as many rows of %s take about twice the work', (_, draw) => {
  const [once, twice] = [countReads(100, draw), countReads(200, draw)]
  expect(twice / once).toBeLessThan(2.4)
})
