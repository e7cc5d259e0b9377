import { attribute, type UiNode } from '../../../screen/tree/hierarchy.ts'
import { describeWay } from '../../../screen/structure/flat-rows.ts'
import { type Intent, isLongPress } from '../read/intent.ts'
import { readOwnText, resourceId } from '../read/node-text.ts'
import { findIdentity, findRowAround, isDataRow } from '../read/rows.ts'
import { isSameKind } from '../read/screen.ts'

/** One step of the workflow as each trace did it. */
export interface Column {
  /** By trace. Undefined where a trace does not contain the step. */
  readonly intents: readonly (Intent | undefined)[]
}

export interface Alignment {
  readonly columns: readonly Column[]
  /** Some traces do the same steps in another order. */
  readonly reordered: boolean
}

/** Aligns traces of one workflow. The first trace sets the order. */
export function alignTraces(traces: readonly (readonly Intent[])[]): Alignment {
  let columns: Column[] = []
  let reordered = false
  for (const [at, trace] of traces.entries()) {
    const merged = mergeTrace(columns, trace, at)
    columns = merged.columns
    reordered ||= merged.reordered
  }
  return {
    columns: columns.map(({ intents }) => ({ intents: padTo(intents, traces.length) })),
    reordered,
  }
}

/** The intent of the first trace that has one in a column. */
export function firstIntent({ intents }: Column): Intent {
  const first = intents.find((intent) => intent !== undefined)
  if (first === undefined) throw new Error('A column has at least one intent.')
  return first
}

function mergeTrace(
  columns: readonly Column[],
  trace: readonly Intent[],
  at: number,
): { columns: Column[]; reordered: boolean } {
  const toColumn = (intent: Intent): Column => ({ intents: [...padTo([], at), intent] })
  if (columns.length === 0) return { columns: trace.map(toColumn), reordered: false }
  const pairs = findCommonOrder(columns.map(firstIntent), trace)
  const unpaired = columns.filter((_, column) => !pairs.some(([one]) => one === column))
  const merged: Column[] = []
  let reordered = false
  let next = 0
  const addUntil = (end: number) => {
    for (; next < end; next += 1) {
      const intent = trace[next]
      if (intent === undefined) continue
      const isElsewhere = unpaired.some((column) => isSameAction(firstIntent(column), intent))
      if (isElsewhere) reordered = true
      else merged.push(toColumn(intent))
    }
  }
  for (const [index, column] of columns.entries()) {
    const pair = pairs.find(([one]) => one === index)
    if (pair === undefined) {
      const moved = trace.find((intent) => isSameAction(firstIntent(column), intent))
      merged.push(moved === undefined ? column : { intents: [...padTo(column.intents, at), moved] })
      continue
    }
    addUntil(pair[1])
    merged.push({ intents: [...padTo(column.intents, at), trace[pair[1]]] })
    next = pair[1] + 1
  }
  addUntil(trace.length)
  return { columns: merged, reordered }
}

function padTo(intents: Column['intents'], length: number): (Intent | undefined)[] {
  return Array.from({ length }, (_, at) => intents[at])
}

/** The longest common subsequence of two lists, as pairs of indexes. */
function findCommonOrder(one: readonly Intent[], other: readonly Intent[]): [number, number][] {
  const lengths = Array.from({ length: one.length + 1 }, () => Array<number>(other.length + 1).fill(0))
  const length = (i: number, j: number): number => lengths[i]?.[j] ?? 0
  const isSame = (i: number, j: number): boolean => {
    const [a, b] = [one[i], other[j]]
    return a !== undefined && b !== undefined && isSameAction(a, b)
  }
  for (let i = one.length - 1; i >= 0; i -= 1) {
    for (let j = other.length - 1; j >= 0; j -= 1) {
      const row = lengths[i]
      if (row === undefined) continue
      row[j] = isSame(i, j) ? length(i + 1, j + 1) + 1 : Math.max(length(i + 1, j), length(i, j + 1))
    }
  }
  const pairs: [number, number][] = []
  for (let i = 0, j = 0; i < one.length && j < other.length;) {
    if (isSame(i, j) && length(i, j) === length(i + 1, j + 1) + 1) pairs.push([i++, j++])
    else if (length(i + 1, j) >= length(i, j + 1)) i += 1
    else j += 1
  }
  return pairs
}

/** Whether two intents do the same to the same kind of target on the same kind of screen. */
export function isSameAction(one: Intent, other: Intent): boolean {
  if (one.kind !== other.kind || one.key !== other.key) return false
  if (isLongPress(one) !== isLongPress(other)) return false
  const [a, b] = [one.before, other.before]
  if (a !== undefined && b !== undefined && !isSameKind(a, b)) return false
  if (one.node === undefined || other.node === undefined) {
    return one.node === other.node && one.app === other.app
  }
  return formatTargetKey(one, one.node) === formatTargetKey(other, other.node)
}

/** Identifies a target without its variable parts: of a list entry only the list, of an option its group. */
function formatTargetKey(intent: Intent, node: UiNode): string {
  const value = intent.adjustment?.value
  if (value !== undefined) return `value ${resourceId(value) || value.path}`
  if (intent.date !== undefined) return 'calendar'
  const found = findRowAround(node)
  const row = found !== undefined && isDataRow(found) ? found : undefined
  const type = attribute(node, 'class')
  const id = resourceId(node)
  if (row !== undefined) {
    const inside = describeWay(row.node, node)
    return `entry ${resourceId(row.group.holder)} ${resourceId(row.node)} ${type} ${id} ${id === '' ? inside : ''}`
  }
  if (attribute(node, 'checkable') === 'true' && node.children.length === 0 && id === '') {
    return `option ${node.parent === null ? '' : resourceId(node.parent)} ${type}`
  }
  return `node ${type} ${id || readOwnText(node) || node.path}`
}

/** The name of the list entry an intent acts on. */
export function readEntryName(intent: Intent): string | undefined {
  const row = intent.node && findRowAround(intent.node)
  const cell = row && isDataRow(row) ? findIdentity(row) : undefined
  return cell?.text
}
