import { attribute, type UiNode } from '../../../screen/hierarchy.ts'
import { openedBy } from '../read/entry.ts'
import type { Move } from '../read/move.ts'
import { identityOf, rowAround } from '../read/rows.ts'
import { isSameKind } from '../read/screen.ts'
import { ownWords, resourceId, shownWords } from '../read/words.ts'

/** One step of the work, as each run did it; absent where a run went without. */
export interface Column {
  /** By run. */
  readonly moves: readonly (Move | undefined)[]
}

export interface Alignment {
  readonly columns: readonly Column[]
  /** Some runs did the same things in another order. */
  readonly reordered: boolean
}

/** Lays runs of the same work side by side. The first run sets the order. */
export function alignRuns(runs: readonly (readonly Move[])[]): Alignment {
  let columns: Column[] = []
  let reordered = false
  for (const [at, run] of runs.entries()) {
    const merged = mergeRun(columns, run, at)
    columns = merged.columns
    reordered ||= merged.reordered
  }
  const width = runs.length
  return {
    columns: columns.map(({ moves }) => ({
      moves: Array.from({ length: width }, (_, at) => moves[at]),
    })),
    reordered,
  }
}

/** The move that stands for a column. */
export function sampleOf({ moves }: Column): Move {
  const [first] = moves.filter((move) => move !== undefined)
  if (first === undefined) throw new Error('A column has a move of some run.')
  return first
}

function mergeRun(
  columns: readonly Column[],
  run: readonly Move[],
  at: number,
): { columns: Column[]; reordered: boolean } {
  const alone = (move: Move): Column => ({ moves: [...Array<undefined>(at).fill(undefined), move] })
  if (columns.length === 0) return { columns: run.map(alone), reordered: false }
  const pairs = commonOrder(columns.map(sampleOf), run)
  const leftOver = columns.filter((_, column) => !pairs.some(([one]) => one === column))
  const merged: Column[] = []
  let reordered = false
  let next = 0
  const takeUpTo = (end: number) => {
    for (; next < end; next += 1) {
      const move = run[next]
      if (move === undefined) continue
      const elsewhere = leftOver.some((column) => isSameAct(sampleOf(column), move))
      if (elsewhere) reordered = true
      else merged.push(alone(move))
    }
  }
  for (const [index, column] of columns.entries()) {
    const pair = pairs.find(([one]) => one === index)
    if (pair === undefined) {
      const moved = run.find((move) => isSameAct(sampleOf(column), move))
      merged.push(moved === undefined ? column : { moves: [...pad(column.moves, at), moved] })
      continue
    }
    takeUpTo(pair[1])
    merged.push({ moves: [...pad(column.moves, at), run[pair[1]]] })
    next = pair[1] + 1
  }
  takeUpTo(run.length)
  return { columns: merged, reordered }
}

function pad(moves: readonly (Move | undefined)[], length: number): (Move | undefined)[] {
  return Array.from({ length }, (_, at) => moves[at])
}

/** The longest list of pairs that both have in the same order. */
function commonOrder(one: readonly Move[], other: readonly Move[]): [number, number][] {
  const lengths = Array.from({ length: one.length + 1 }, () =>
    Array<number>(other.length + 1).fill(0),
  )
  const length = (i: number, j: number): number => lengths[i]?.[j] ?? 0
  const same = (i: number, j: number): boolean => {
    const [a, b] = [one[i], other[j]]
    return a !== undefined && b !== undefined && isSameAct(a, b)
  }
  for (let i = one.length - 1; i >= 0; i -= 1) {
    for (let j = other.length - 1; j >= 0; j -= 1) {
      const row = lengths[i]
      if (row === undefined) continue
      row[j] = same(i, j) ? length(i + 1, j + 1) + 1 : Math.max(length(i + 1, j), length(i, j + 1))
    }
  }
  const pairs: [number, number][] = []
  for (let i = 0, j = 0; i < one.length && j < other.length;) {
    if (same(i, j) && length(i, j) === length(i + 1, j + 1) + 1) pairs.push([i++, j++])
    else if (length(i + 1, j) >= length(i, j + 1)) i += 1
    else j += 1
  }
  return pairs
}

/** The same thing done to the same kind of thing on the same kind of screen. */
export function isSameAct(one: Move, other: Move): boolean {
  if (one.kind !== other.kind || one.key !== other.key) return false
  const [a, b] = [one.before, other.before]
  if (a !== undefined && b !== undefined && !isSameKind(a, b)) return false
  if (one.node === undefined || other.node === undefined) {
    return one.node === other.node && one.app === other.app
  }
  return targetKey(one, one.node) === targetKey(other, other.node)
}

/** What was touched, without what may vary: of a list entry only the list, of an option its group. */
function targetKey(move: Move, node: UiNode): string {
  const value = move.adjustment?.value
  if (value !== undefined) return `value ${resourceId(value) || value.path}`
  const row = rowAround(node)
  const type = attribute(node, 'class')
  const id = resourceId(node)
  if (row !== undefined)
    return `entry ${resourceId(row.list)} ${resourceId(row.node)} ${type} ${id}`
  if (attribute(node, 'checkable') === 'true' && node.children.length === 0 && id === '') {
    return `option ${node.parent === null ? '' : resourceId(node.parent)} ${type}`
  }
  return `thing ${type} ${id || ownWords(node) || node.path}`
}

/** The words of the list entry a move was done to. */
export function entryWordsOf(move: Move): string | undefined {
  const row = move.node && rowAround(move.node)
  const cell = row && identityOf(row, openedBy(move))
  return cell && shownWords(cell)
}
