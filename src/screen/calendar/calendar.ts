import { type Bounds, centre, union } from '../tree/bounds.ts'
import { attribute, isTrue, subtree, type UiNode } from '../tree/hierarchy.ts'
import {
  type CalendarDate,
  type CalendarMonth,
  countDays,
  countMonths,
  readLabelDate,
  readMonthHeading,
} from './calendar-date.ts'

export interface CalendarDay {
  readonly node: UiNode
  readonly date: CalendarDate
}

/** A grid of the days of a month, or several below each other. */
export interface Calendar {
  /** The month with the most days in view. */
  readonly month: CalendarMonth
  readonly days: readonly CalendarDay[]
  readonly bounds: Bounds
  /** What is above the days: the name of the month and its buttons lie there. */
  readonly heading: UiNode | undefined
}

/**
 * Finds a calendar among the visible nodes: numbers that count the days of a month in columns of weeks, under the name
 * of the month or with a date in each description.
 */
export function findCalendar(nodes: readonly UiNode[]): Calendar | undefined {
  const cells = listCells(nodes)
  const months = splitMonths(cells).filter(isGrid)
  const largest = months.toSorted((a, b) => b.length - a.length)[0]
  if (largest === undefined || largest.length < MIN_DAYS) return undefined
  const pages = months.filter((one) => one === largest || !sharesRow(one, largest))
  const dated = pages.flatMap((page) => {
    const found = nameMonth(page, nodes)
    return found === undefined ? [] : [{ page, ...found }]
  })
  const main = dated.find(({ page }) => page === largest)
  if (main === undefined) return undefined
  const days = dated
    .filter(({ page, month }) => Math.max(...page.map(({ day }) => day)) <= countDays(month))
    .flatMap(({ page, month }) => page.map(({ node, day }) => ({ node, date: { ...month, day } })))
  const bounds = pages.flat().reduce((sum, cell) => union(sum, cell.bounds), largest[0]?.bounds ?? NO_BOUNDS)
  return { month: main.month, days, bounds, heading: main.heading }
}

const MIN_DAYS = 14
const NO_BOUNDS: Bounds = { left: 0, top: 0, right: 0, bottom: 0 }

export function isChosenDay({ node }: CalendarDay): boolean {
  return [...subtree(node)].some((one) => isTrue(one, 'checked') || isTrue(one, 'selected'))
}

/** The number of months that the calendar was turned from one reading to the next. */
export function countTurns(before: Calendar, after: Calendar): number {
  return countMonths(before.month, after.month)
}

interface Cell {
  readonly node: UiNode
  readonly bounds: Bounds
  readonly day: number
  readonly month: number | undefined
  readonly year: number | undefined
}

/** The nodes that may be days, in tree order. A label inside a day is part of it. */
function listCells(nodes: readonly UiNode[]): Cell[] {
  const cells: Cell[] = []
  const seen = new Set<UiNode>()
  for (const node of nodes) {
    if (node.parent !== null && seen.has(node.parent)) {
      seen.add(node)
      continue
    }
    const cell = toCell(node)
    if (cell === undefined) continue
    cells.push({ ...cell, node: findTouched(node) })
    seen.add(node)
  }
  return cells
}

/** The box that takes the touch, if nothing else is in it. */
function findTouched(node: UiNode): UiNode {
  if (isTrue(node, 'clickable')) return node
  const box = node.parent
  return box !== null && isTrue(box, 'clickable') && [...subtree(box)].length <= MAX_PARTS ? box : node
}

function toCell(node: UiNode): Cell | undefined {
  const { bounds } = node
  const [text, description] = [attribute(node, 'text').trim(), attribute(node, 'content-desc').trim()]
  if (bounds === null || (text === '' && description === '')) return undefined
  // A box with a date as its name is no day.
  if ([...subtree(node)].length > MAX_PARTS) return undefined
  const date = readLabelDate(description) ?? readLabelDate(text)
  const [number] = [text, description].flatMap((label) => (DAY.test(label) ? [Number.parseInt(label, 10)] : []))
  if (date !== undefined && (number === undefined || number === date.day)) {
    return { node, bounds, day: date.day, month: date.month, year: date.year }
  }
  return number === undefined ? undefined : { node, bounds, day: number, month: undefined, year: undefined }
}

const MAX_PARTS = 6
const DAY = /^(?:0?[1-9]|[12]\d|3[01])(?:日|일)?$/

/** Runs of days that count up by one. */
function splitMonths(cells: readonly Cell[]): Cell[][] {
  const runs: Cell[][] = []
  for (const cell of cells) {
    // Numbers of weeks may stand between the days.
    const run = runs.findLast((one) => isNext(cell, one.at(-1)))
    if (run === undefined) runs.push([cell])
    else run.push(cell)
  }
  return runs
}

const isNext = (cell: Cell, last: Cell | undefined): boolean =>
  last !== undefined && cell.day === last.day + 1 && isAlike(cell, last)

function isAlike({ bounds: one }: Cell, { bounds: other }: Cell): boolean {
  const [width, height] = [other.right - other.left, other.bottom - other.top]
  // Days at the edge of a list may be cut off.
  return Math.abs(one.right - one.left - width) <= width * 0.5 && Math.abs(one.bottom - one.top - height) <= height
}

/** A day is below the one a week earlier. Most weeks lie in one line each. */
function isGrid(run: readonly Cell[]): boolean {
  const pairs = run.slice(DAYS_OF_WEEK).map((cell, at) => [run[at], cell] as const)
  if (pairs.length === 0) return false
  return pairs.every(([above, below]) => {
    if (above === undefined) return false
    const [a, b] = [centre(above.bounds), centre(below.bounds)]
    const reach = (above.bounds.right - above.bounds.left) / 2
    return Math.abs(a.x - b.x) <= reach && b.y > a.y
  })
}

const DAYS_OF_WEEK = 7

/** Days of the month before or after, shown in the same week. */
function sharesRow(one: readonly Cell[], other: readonly Cell[]): boolean {
  const lines = new Set(other.map(({ bounds }) => centre(bounds).y))
  return one.some(({ bounds }) => lines.has(centre(bounds).y))
}

interface NamedMonth {
  readonly month: CalendarMonth
  readonly heading: UiNode | undefined
}

/** The month that most days name, or the nearest heading above the days. */
function nameMonth(run: readonly Cell[], nodes: readonly UiNode[]): NamedMonth | undefined {
  const own = run.find(({ month }) => month !== undefined)
  const isAgreed = run.every(({ month, year }) => month === undefined || (month === own?.month && year === own.year))
  if (!isAgreed) return undefined
  const headings = listHeadings(run, nodes)
  const heading = headings.find(({ month }) => own === undefined || month === own.month)
  const year = own?.year ?? heading?.year ?? findYear(run, nodes)
  const month = own?.month ?? heading?.month
  if (month === undefined || year === undefined) return undefined
  return { month: { month, year }, heading: heading?.node }
}

interface Heading {
  readonly node: UiNode
  readonly month: number
  readonly year: number | undefined
}

/** The names of months above the days, nearest first. */
function listHeadings(run: readonly Cell[], nodes: readonly UiNode[]): Heading[] {
  const top = Math.min(...run.map(({ bounds }) => bounds.top))
  return listAbove(top, nodes)
    .flatMap((node) => {
      const labels = [attribute(node, 'text'), attribute(node, 'content-desc')]
      const [read] = labels.flatMap((label) => (label === '' ? [] : (readMonthHeading(label) ?? [])))
      return read === undefined ? [] : [{ node, ...read }]
    })
    .toSorted((a, b) => (b.node.bounds?.bottom ?? 0) - (a.node.bounds?.bottom ?? 0))
}

/** A year that stands alone above the days. */
function findYear(run: readonly Cell[], nodes: readonly UiNode[]): number | undefined {
  const top = Math.min(...run.map(({ bounds }) => bounds.top))
  const years = listAbove(top, nodes).map((node) => attribute(node, 'text').trim())
  const [year] = years.filter((text) => /^(?:19|20|21)\d{2}$/.test(text))
  return year === undefined ? undefined : Number(year)
}

const listAbove = (top: number, nodes: readonly UiNode[]): UiNode[] =>
  nodes.filter(({ bounds }) => bounds !== null && bounds.bottom <= top + 1)
