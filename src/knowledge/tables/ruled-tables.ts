import {
  type Box,
  clusterValues,
  findCenter,
  joinText,
  type Rule,
  type Rules,
  type Span,
  type Table,
  type Word,
} from './geometry.ts'

/** How far lines may be from where they should meet, in points. */
const TOLERANCE = 2.5
/** The part of a side that must be drawn to count as a wall. */
const WALL_PART = 0.6
const MAX_RULES = 1500
const MAX_CELLS = 20_000

/** Finds tables whose cells are separated by drawn lines. */
export function findRuledTables(words: readonly Word[], rules: Rules): Table[] {
  const horizontal = rules.horizontal.slice(0, MAX_RULES)
  const vertical = rules.vertical.slice(0, MAX_RULES)
  return listGrids({ horizontal, vertical })
    .flatMap((grid) => readGrid(words, grid))
    .toSorted((a, b) => a.box.y0 - b.box.y0 || a.box.x0 - b.box.x0)
}

/** Lines that cross each other, directly or through others. */
function listGrids({ horizontal, vertical }: Rules): Rules[] {
  const parents = horizontal.map((_rule, at) => at)
  const find = (at: number): number => {
    let root = at
    while (parents[root] !== root) root = parents[root] ?? root
    parents[at] = root
    return root
  }
  const owners = vertical.map((rule) => {
    const crossed = horizontal.flatMap((other, at) => (doCross(other, rule) ? [at] : []))
    const [first] = crossed
    for (const at of crossed) parents[find(at)] = find(first ?? at)
    return first
  })
  const groups = new Map<number, { horizontal: Rule[]; vertical: Rule[] }>()
  const groupOf = (root: number) => {
    const group = groups.get(root) ?? { horizontal: [], vertical: [] }
    groups.set(root, group)
    return group
  }
  for (const [at, rule] of horizontal.entries()) groupOf(find(at)).horizontal.push(rule)
  for (const [at, rule] of vertical.entries()) {
    const owner = owners[at]
    if (owner !== undefined) groupOf(find(owner)).vertical.push(rule)
  }
  return [...groups.values()].filter((group) => group.horizontal.length >= 2 && group.vertical.length >= 2)
}

const doCross = (horizontal: Rule, vertical: Rule): boolean =>
  vertical.at >= horizontal.from - TOLERANCE &&
  vertical.at <= horizontal.to + TOLERANCE &&
  horizontal.at >= vertical.from - TOLERANCE &&
  horizontal.at <= vertical.to + TOLERANCE

function readGrid(words: readonly Word[], { horizontal, vertical }: Rules): Table[] {
  const xs = clusterValues(
    vertical.map(({ at }) => at),
    TOLERANCE,
  )
  const ys = clusterValues(
    horizontal.map(({ at }) => at),
    TOLERANCE,
  )
  const [rows, columns] = [ys.length - 1, xs.length - 1]
  if (rows < 1 || columns < 1 || rows * columns < 2 || rows * columns > MAX_CELLS) return []
  const box: Box = { x0: xs[0] ?? 0, y0: ys[0] ?? 0, x1: xs.at(-1) ?? 0, y1: ys.at(-1) ?? 0 }
  const spans = mergeCells({ xs, ys, horizontal, vertical })
  const found = placeWords(words, { xs, ys, spans })
  if (found.every((row) => row.every((cell) => cell.length === 0))) return []
  const cells = found.map((row) => row.map(joinText))
  const larger = spans.filter(({ row_span, column_span }) => row_span > 1 || column_span > 1)
  // A frame around a text has one cell, however many lines it is drawn with.
  return spans.length < 2 ? [] : [{ found_by: 'rules', box, cells, spans: larger }]
}

interface Grid extends Rules {
  readonly xs: readonly number[]
  readonly ys: readonly number[]
}

/** The cells of a grid. Fields between which no wall is drawn are one cell if they form a rectangle. */
function mergeCells({ xs, ys, horizontal, vertical }: Grid): Span[] {
  const [rows, columns] = [ys.length - 1, xs.length - 1]
  const group = new Map<number, number>()
  const visited: Span[] = []
  const isOpenRight = (row: number, column: number) =>
    column + 1 < columns && !hasWall(vertical, xs[column + 1] ?? 0, [ys[row] ?? 0, ys[row + 1] ?? 0])
  const isOpenBelow = (row: number, column: number) =>
    row + 1 < rows && !hasWall(horizontal, ys[row + 1] ?? 0, [xs[column] ?? 0, xs[column + 1] ?? 0])
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1) {
      if (group.has(row * columns + column)) continue
      let column_span = 1
      while (isOpenRight(row, column + column_span - 1) && !group.has(row * columns + column + column_span)) {
        column_span += 1
      }
      let row_span = 1
      const isRowOpen = (at: number) =>
        Array.from({ length: column_span }).every(
          (_, offset) =>
            isOpenBelow(at, column + offset) &&
            (offset + 1 === column_span || isOpenRight(at + 1, column + offset)) &&
            !group.has((at + 1) * columns + column + offset),
        )
      while (isRowOpen(row + row_span - 1)) row_span += 1
      for (let down = 0; down < row_span; down += 1) {
        for (let right = 0; right < column_span; right += 1) {
          group.set((row + down) * columns + column + right, visited.length)
        }
      }
      visited.push({ row, column, row_span, column_span })
    }
  }
  return visited
}

/** Whether lines at a place cover most of a stretch. */
function hasWall(rules: readonly Rule[], place: number, [from, to]: readonly [number, number]): boolean {
  const parts = rules
    .filter((rule) => Math.abs(rule.at - place) <= TOLERANCE && rule.to > from && rule.from < to)
    .toSorted((a, b) => a.from - b.from)
  let covered = 0
  let end = from
  for (const part of parts) {
    covered += Math.max(0, Math.min(part.to, to) - Math.max(part.from, end))
    end = Math.max(end, Math.min(part.to, to))
  }
  return covered >= (to - from) * WALL_PART
}

function placeWords(
  words: readonly Word[],
  { xs, ys, spans }: Pick<Grid, 'xs' | 'ys'> & { readonly spans: readonly Span[] },
): Word[][][] {
  const found = ys.slice(1).map(() => xs.slice(1).map((): Word[] => []))
  const owners = new Map<string, Span>()
  for (const span of spans) {
    for (let down = 0; down < span.row_span; down += 1) {
      for (let right = 0; right < span.column_span; right += 1) {
        owners.set(`${span.row + down},${span.column + right}`, span)
      }
    }
  }
  for (const word of words) {
    const { x, y } = findCenter(word)
    const owner = owners.get(`${findInterval(ys, y)},${findInterval(xs, x)}`)
    if (owner !== undefined) found[owner.row]?.[owner.column]?.push(word)
  }
  return found
}

const findInterval = (borders: readonly number[], value: number): number =>
  borders.findIndex((border, at) => value >= border && value < (borders[at + 1] ?? Number.NEGATIVE_INFINITY))
