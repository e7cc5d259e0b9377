import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseHierarchy } from '../../src/screen/tree/hierarchy.ts'
import { isSamePlace, ListPositions, uniteSpans } from '../../src/screen/list-positions.ts'
import type { Span } from '../../src/screen/span.ts'

const VIEW = 1000

interface Row {
  readonly label: string
  readonly start: number
  readonly end: number
}

/** A vertical list of rows, some with equal labels. */
const lists = fc
  .array(fc.record({ height: fc.integer({ min: 60, max: 220 }), twin: fc.boolean() }), {
    minLength: 12,
    maxLength: 40,
  })
  .map((rows) => {
    let at = 0
    return rows.map(({ height, twin }, position): Row => {
      const row = { label: twin ? 'Twin' : `Row ${position}`, start: at, end: at + height }
      at += height
      return row
    })
  })

/** The visible part of the list at the scroll offset. */
function viewAt(rows: readonly Row[], offset: number) {
  const visible = rows.filter(({ start, end }) => end > offset && start < offset + VIEW)
  const nodes = visible.map(({ label, start, end }) => {
    const top = Math.max(0, start - offset)
    const bottom = Math.min(VIEW, end - offset)
    return `<node class="Row" text="${label}" bounds="[0,${top}][500,${bottom}]" />`
  })
  const parsed = parseHierarchy(
    `<hierarchy rotation="0"><node class="List" bounds="[0,0][500,${VIEW}]">${nodes.join('')}</node></hierarchy>`,
  )
  const list = parsed.ok ? parsed.hierarchy.roots[0] : undefined
  return { list: list ?? expect.fail('no list'), visible }
}

test('a row keeps its position while the list scrolls, and no two rows share one', () => {
  const walks = fc.array(fc.integer({ min: -400, max: 400 }), { minLength: 1, maxLength: 20 })
  fc.assert(
    fc.property(lists, walks, (rows, steps) => {
      fc.pre(rows.filter(({ label }) => label !== 'Twin').length > rows.length / 2)
      const last = Math.max(0, (rows.at(-1)?.end ?? 0) - VIEW)
      const positions = new ListPositions(true)
      const places = new Map<Row, Span>()
      let offset = 0
      for (const step of [0, ...steps]) {
        const next = Math.min(last, Math.max(0, offset + step))
        const namedInBoth = namedWithin(rows, offset).filter((row) => namedWithin(rows, next).includes(row))
        // One vote may come from another row with the same label.
        fc.pre(namedInBoth.length > 1)
        offset = next
        const { list, visible } = viewAt(rows, offset)
        positions.moveTo(list)
        for (const [at, row] of visible.entries()) {
          const place = positions.locate(list.children[at] ?? expect.fail('no row'))
          if (place === undefined) expect.fail('no place')
          const taken = [...places].filter(([, known]) => isSamePlace(known, place))
          const known = places.get(row)
          expect(taken.map(([other]) => other)).toEqual(known === undefined ? [] : [row])
          places.set(row, known === undefined ? place : uniteSpans(known, place))
        }
      }
    }),
  )
})

const namedWithin = (rows: readonly Row[], offset: number): Row[] =>
  rows.filter(({ label, start, end }) => label !== 'Twin' && start > offset && end < offset + VIEW)

test('without common labels before and after, the list counts as unmoved', () => {
  const positions = new ListPositions(true)
  const rows = [{ label: 'A', start: 10, end: 110 }]
  const others = [{ label: 'B', start: 10, end: 110 }]
  positions.moveTo(viewAt(rows, 0).list)
  const { list } = viewAt(others, 0)
  positions.moveTo(list)
  expect(positions.locate(list.children[0] ?? expect.fail('no row'))).toEqual({
    start: 10,
    end: 110,
  })
})
