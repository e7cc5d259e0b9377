import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatCsv } from '../../src/knowledge/tables/csv.ts'
import { joinBoxes, type Rule, type Rules, type Word } from '../../src/knowledge/tables/geometry.ts'
import { findAlignedTables } from '../../src/knowledge/tables/aligned-tables.ts'
import { findTables } from '../../src/knowledge/tables/page-tables.ts'
import { findRasterRules, parsePgm } from '../../src/knowledge/tables/raster-rules.ts'
import { findRuledTables } from '../../src/knowledge/tables/ruled-tables.ts'
import { countRuns } from '../kit/count-runs.ts'

const HEIGHT = 10
const CHARACTER = 5

const makeWord = (text: string, x0: number, y0: number): Word => ({
  text,
  x0,
  y0,
  x1: x0 + text.length * CHARACTER,
  y1: y0 + HEIGHT,
})

/** The words of a text with a space between them. */
function writeText(text: string, x: number, y: number): Word[] {
  let at = x
  return text
    .split(' ')
    .filter((part) => part !== '')
    .map((part) => {
      const word = makeWord(part, at, y)
      at = word.x1 + CHARACTER * 0.6
      return word
    })
}

const cellText = fc
  .array(fc.string({ minLength: 1, maxLength: 5, unit: fc.constantFrom(...Array.from('abcdefgh0123456789')) }), {
    minLength: 1,
    maxLength: 3,
  })
  .map((parts) => parts.join(' '))

const grid = (min: number) =>
  fc.record({ rows: fc.integer({ min, max: 7 }), columns: fc.integer({ min: 2, max: 6 }) }).chain(({ rows, columns }) =>
    fc.record({
      cells: fc.array(fc.array(cellText, { minLength: columns, maxLength: columns }), {
        minLength: rows,
        maxLength: rows,
      }),
      widths: fc.array(fc.integer({ min: 105, max: 160 }), { minLength: columns, maxLength: columns }),
      heights: fc.array(fc.integer({ min: 16, max: 18 }), { minLength: rows, maxLength: rows }),
      jitter: fc.array(fc.double({ min: -0.5, max: 0.5, noNaN: true }), { minLength: 40, maxLength: 40 }),
    }),
  )

interface Drawn {
  cells: string[][]
  widths: number[]
  heights: number[]
  jitter: number[]
}

const sumUp = (start: number, sizes: readonly number[]): number[] =>
  sizes.reduce((places, size) => [...places, (places.at(-1) ?? 0) + size], [start])

function draw({ cells, widths, heights, jitter }: Drawn): { words: Word[]; rules: Rules } {
  const [xs, ys] = [sumUp(40, widths), sumUp(60, heights)]
  const words = cells.flatMap((row, r) => row.flatMap((text, c) => writeText(text, (xs[c] ?? 0) + 4, (ys[r] ?? 0) + 3)))
  const move = (at: number) => jitter[at % jitter.length] ?? 0
  // Each side of each cell is drawn alone, as some programs do.
  const horizontal = ys.flatMap((y, r) =>
    widths.map((width, c): Rule => ({ at: y + move(r + c), from: (xs[c] ?? 0) + move(c), to: (xs[c] ?? 0) + width })),
  )
  const vertical = xs.flatMap((x, c) =>
    heights.map((height, r): Rule => ({
      at: x + move(c + r),
      from: (ys[r] ?? 0) + move(r),
      to: (ys[r] ?? 0) + height,
    })),
  )
  return { words, rules: { horizontal, vertical } }
}

const shuffle = <T>(items: readonly T[], by: readonly number[]): T[] =>
  items
    .map((item, at) => ({ item, key: by[at % by.length] ?? 0 }))
    .toSorted((a, b) => a.key - b.key)
    .map(({ item }) => item)

const NO_RULES: Rules = { horizontal: [], vertical: [] }

describe('ruled tables', () => {
  test('every table with a line around each cell is found with its texts, in whatever order things are drawn', () => {
    fc.assert(
      fc.property(grid(1), (drawn) => {
        const { words, rules } = draw(drawn)
        const found = findRuledTables(shuffle(words, drawn.jitter), {
          horizontal: shuffle(rules.horizontal, drawn.jitter),
          vertical: shuffle(rules.vertical, drawn.jitter),
        })
        expect(found).toMatchObject([{ found_by: 'rules', cells: drawn.cells, spans: [] }])
      }),
      { numRuns: countRuns(200) },
    )
  })

  test('any lines and words give rectangular tables whose texts are on the page', () => {
    const place = fc.double({ min: 0, max: 300, noNaN: true })
    const rule = fc
      .tuple(place, place, place)
      .map(([at, a, b]): Rule => ({ at, from: Math.min(a, b), to: Math.max(a, b) }))
    const word = fc.tuple(cellText, place, place).map(([text, x, y]) => makeWord(text.replaceAll(' ', ''), x, y))
    fc.assert(
      fc.property(
        fc.array(word, { maxLength: 30 }),
        fc.array(rule, { maxLength: 20 }),
        fc.array(rule, { maxLength: 20 }),
        (words, horizontal, vertical) => {
          for (const mode of ['auto', 'strict', 'layout_preserving'] as const) {
            for (const { cells, spans, box } of findTables(words, { horizontal, vertical }, mode)) {
              expect(new Set(cells.map((row) => row.length)).size).toBe(1)
              const texts = cells
                .flat()
                .join(' ')
                .split(' ')
                .filter((text) => text !== '')
              expect(texts.every((text) => words.some((one) => one.text === text))).toBe(true)
              expect(texts.length).toBeLessThanOrEqual(words.length)
              expect(box.x1).toBeGreaterThanOrEqual(box.x0)
              for (const { row, column, row_span, column_span } of spans) {
                expect(row + row_span).toBeLessThanOrEqual(cells.length)
                expect(column + column_span).toBeLessThanOrEqual(cells[0]?.length ?? 0)
              }
            }
          }
        },
      ),
      { numRuns: countRuns(200) },
    )
  })

  test('a cell over two columns and one over two rows are larger cells', () => {
    const words = [
      ...writeText('Both', 10, 3),
      ...writeText('Side', 110, 20),
      ...writeText('a', 10, 23),
      ...writeText('b', 60, 23),
    ]
    const rules: Rules = {
      horizontal: [
        { at: 0, from: 0, to: 150 },
        { at: 20, from: 0, to: 100 },
        { at: 40, from: 0, to: 150 },
      ],
      vertical: [
        { at: 0, from: 0, to: 40 },
        { at: 50, from: 20, to: 40 },
        { at: 100, from: 0, to: 40 },
        { at: 150, from: 0, to: 40 },
      ],
    }
    expect(findRuledTables(words, rules)).toMatchObject([
      {
        cells: [
          ['Both', '', 'Side'],
          ['a', 'b', ''],
        ],
        spans: [
          { row: 0, column: 0, row_span: 1, column_span: 2 },
          { row: 0, column: 2, row_span: 2, column_span: 1 },
        ],
      },
    ])
  })

  test('a frame around a text is no table, and neither are lines without a text', () => {
    const frame: Rules = {
      horizontal: [0, 40].map((at) => ({ at, from: 0, to: 100 })),
      vertical: [0, 100].map((at) => ({ at, from: 0, to: 40 })),
    }
    expect(findRuledTables(writeText('A note', 10, 10), frame)).toEqual([])
    const crossed = { ...frame, vertical: [...frame.vertical, { at: 50, from: 0, to: 40 }] }
    expect(findRuledTables([], crossed)).toEqual([])
    expect(findRuledTables(writeText('A note', 10, 10), crossed)).toHaveLength(1)
  })
})

describe('aligned tables', () => {
  test('every table whose columns are apart is found with its texts', () => {
    fc.assert(
      fc.property(grid(3), (drawn) => {
        const { words } = draw(drawn)
        expect(findAlignedTables(shuffle(words, drawn.jitter))).toMatchObject([{ cells: drawn.cells }])
      }),
      { numRuns: countRuns(200) },
    )
  })

  test('the rest of a cell on the next line belongs to the cell above', () => {
    const rows = [
      ['Pen', 'A long text'],
      ['Ink', 'Blue'],
      ['Cap', 'Red'],
    ]
    const words = rows.flatMap(([first = '', second = ''], at) => [
      ...writeText(first, 10, at * 30),
      ...writeText(second, 100, at * 30),
    ])
    const found = findAlignedTables([...words, ...writeText('that goes on', 100, 14)])
    expect(found[0]?.cells).toEqual([['Pen', 'A long text that goes on'], rows[1], rows[2]])
  })

  test('two columns of running text are no table', () => {
    const line = 'some words of running text in a column'
    const words = [0, 1, 2, 3, 4, 5].flatMap((at) => [
      ...writeText(line, 10, at * 14),
      ...writeText(line, 320, at * 14),
    ])
    expect(findAlignedTables(words)).toEqual([])
    expect(findTables(words, NO_RULES, 'auto')).toEqual([])
  })

  test('words with the same text at the same place do not harm', () => {
    const words = Array.from({ length: 500 }, () => makeWord('x', 10, 10))
    expect(findAlignedTables(words)).toEqual([])
  })
})

describe('lines of pictures', () => {
  const WIDTH = 200
  const draw = (...areas: readonly [number, number, number, number][]) => {
    const points = new Uint8Array(WIDTH * WIDTH).fill(255)
    for (const [x0, y0, x1, y1] of areas) {
      for (let y = y0; y < y1; y += 1) points.fill(0, y * WIDTH + x0, y * WIDTH + x1)
    }
    return { width: WIDTH, height: WIDTH, points }
  }

  test('thin lines are found at their place, filled areas and short strokes are not', () => {
    const rules = findRasterRules(draw([10, 20, 150, 22], [60, 40, 62, 160], [100, 100, 140, 140], [5, 5, 12, 6]), 0.5)
    expect(rules).toEqual({
      horizontal: [{ at: 10.5, from: 5, to: 75 }],
      vertical: [{ at: 30.5, from: 20, to: 80 }],
    })
  })

  test('a line is found wherever it is', () => {
    const place = fc.integer({ min: 0, max: 140 })
    fc.assert(
      fc.property(
        place,
        place,
        fc.integer({ min: 30, max: 60 }),
        fc.integer({ min: 1, max: 3 }),
        (x, y, length, thickness) => {
          const { horizontal, vertical } = findRasterRules(draw([x, y, x + length, y + thickness]), 1)
          expect(horizontal).toEqual([{ at: y + thickness / 2, from: x, to: x + length }])
          expect(vertical).toEqual([])
        },
      ),
      { numRuns: countRuns(100) },
    )
  })

  test('only whole pictures of the expected kind are read', () => {
    const head = Buffer.from('P5\n2 2\n255\n')
    expect(parsePgm(Buffer.concat([head, Buffer.from([1, 2, 3, 4])]))).toMatchObject({ width: 2, height: 2 })
    for (const bytes of [
      Buffer.concat([head, Buffer.from([1, 2, 3])]),
      Buffer.from('P6\n1 1\n255\nxxx'),
      Buffer.from(''),
    ]) {
      expect(parsePgm(bytes)).toBeUndefined()
    }
  })
})

test('CSV quotes what needs it and makes no formulas', () => {
  const cells = [
    ['a,b', 'say "hi"', 'two\nlines'],
    ['=1+1', '-5', '@x'],
    ['+49 30', '-3.50 %', '-a'],
  ]
  expect(formatCsv([cells, [['next']]])).toBe(
    '"a,b","say ""hi""","two\nlines"\r\n\'=1+1,-5,\'@x\r\n+49 30,-3.50 %,\'-a\r\n\r\nnext\r\n',
  )
})

test('a box around more words than a function takes arguments', () => {
  const boxes = Array.from({ length: 300_000 }, (_, at) => ({ x0: at, y0: -at, x1: at + 1, y1: 1 }))
  expect(joinBoxes(boxes)).toEqual({ x0: 0, y0: -299_999, x1: 300_000, y1: 1 })
})
