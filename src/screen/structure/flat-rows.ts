import { hasArea } from '../tree/bounds.ts'
import { type UiNode, isTrue } from '../tree/hierarchy.ts'
import { readLabel } from '../tree/roles.ts'
import { listCells } from './cells.ts'
import { extendRecords, standsInColumns } from './flat-records.ts'
import { isNear, measureWidth, unite } from './geometry.ts'
import { findKind, readBounds, readSimpleClass } from './node-kind.ts'
import type { RowGroup } from './row-group.ts'
import type { TreeIndex } from './tree-index.ts'

/**
 * Finds the records of a list whose rows have no box of their own: their parts stand side by side in one holder and
 * repeat in the same order. Some rows may have a part more or less. Compose and web pages draw rows so that take no
 * touch as a whole. Each row gets a box that is no node of the tree: its parts have another parent.
 */
export function findFlatRows(holder: UiNode, tree: TreeIndex): RowGroup | undefined {
  const nodes = tree.listChildren(holder).filter((child) => tree.findShape(child) !== null)
  if (nodes.length < MIN_PARTS * MIN_RECORDS) return undefined
  const kinds = nodes.map((node) => describePart(node, tree))
  let best: { readonly records: readonly (readonly UiNode[])[]; readonly covered: number } | undefined
  for (let period = MIN_PARTS; period <= Math.min(MAX_PARTS, nodes.length / MIN_RECORDS); period += 1) {
    const run = findRun(kinds, period)
    if (run.length < period * MIN_RECORDS) continue
    const strict = cutRecords(nodes.slice(run.from, run.from + run.length), period)
    if (!areRecords(strict, tree)) continue
    const records = extendRecords(strict, nodes, kinds)
    const covered = records.flat().length
    if (best === undefined || covered > best.covered * MUCH_MORE) best = { records, covered }
  }
  if (best === undefined) return undefined
  const members = best.records.map((parts) => toBox(parts, holder))
  for (const member of members) tree.addBox(member)
  return { holder, members, direction: 'down', scroller: tree.findScroller(holder) }
}

/** Two rows of which the lower edge cuts the second repeat too, with other parts. The whole list repeats more often. */
const MUCH_MORE = 1.5

const MIN_PARTS = 2
const MAX_PARTS = 8
const MIN_RECORDS = 2
const MAX_TOUCHES = 4

/** Whether a row was made of nodes that have another parent. */
export const isFlatRow = (row: UiNode): boolean => row.children[0] !== undefined && row.children[0].parent !== row

/** The way from a row to a node inside it. Equal for the same part of two rows. */
export function describeWay(row: UiNode, node: UiNode): string {
  if (!isFlatRow(row)) return node.path.slice(row.path.length)
  const at = row.children.findIndex((part) => node === part || node.path.startsWith(`${part.path}.`))
  const part = row.children[at]
  return part === undefined ? '' : `.${at}${node.path.slice(part.path.length)}`
}

/** The node at the end of a way from a row. */
export function followWay(row: UiNode, way: string): UiNode | undefined {
  let node: UiNode | undefined = row
  for (const part of way.split('.').filter((one) => one !== '')) node = node?.children[Number(part)]
  return node
}

const describePart = (node: UiNode, tree: TreeIndex): string =>
  `${findKind(node, node.children.length === 0)} ${readSimpleClass(node)} ${tree.countTouches(node) > 0}`

/** The longest run of parts that repeat after a number of parts. */
function findRun(kinds: readonly string[], period: number): { readonly from: number; readonly length: number } {
  let best = { from: 0, length: 0 }
  let from = 0
  for (let at = 0; at + period <= kinds.length; at += 1) {
    if (at + period < kinds.length && kinds[at] === kinds[at + period]) continue
    const length = at === from ? 0 : at - from + period
    if (length > best.length) best = { from, length }
    from = at + 1
  }
  return best
}

/**
 * Cuts a run where its parts are furthest apart. A record that is not complete at the end is kept if its parts stand in
 * the columns of the others. A text and a button below a list are no such record.
 */
function cutRecords(nodes: readonly UiNode[], period: number): UiNode[][] {
  const gaps = Array.from({ length: period }, (_, phase) => measureGap(nodes, period, phase))
  const start = gaps.indexOf(Math.max(...gaps))
  const records: UiNode[][] = []
  for (let at = start; at < nodes.length; at += period) records.push(nodes.slice(at, at + period))
  const last = records.at(-1)
  const isWhole = last === undefined || last.length === period
  const isCut = !isWhole && last.length >= MIN_PARTS && standsInColumns(last, records[0] ?? [])
  return isWhole || isCut ? records : records.slice(0, -1)
}

/** The least distance between the parts before a place and the part at it, over all records. */
function measureGap(nodes: readonly UiNode[], period: number, phase: number): number {
  const gaps: number[] = []
  for (let at = phase; at < nodes.length; at += period) {
    const node = nodes[at]
    const before = nodes.slice(Math.max(0, at - period), at)
    if (node === undefined || before.length === 0) continue
    gaps.push(readBounds(node).top - Math.max(...before.map((one) => readBounds(one).bottom)))
  }
  return Math.min(...gaps)
}

function areRecords(records: readonly (readonly UiNode[])[], tree: TreeIndex): boolean {
  const [first = []] = records
  const whole = records.filter((parts) => parts.length === first.length)
  if (whole.length < MIN_RECORDS || !areStacked(records) || !areAligned(records)) return false
  const isPart = (node: UiNode) =>
    hasArea(readBounds(node)) &&
    findKind(node, true) !== 'field' &&
    !isTrue(node, 'scrollable') &&
    (tree.countTouches(node) === 0 || tree.countLabels(node) <= 1)
  const isNamedByHead = isHeaded(records, tree)
  const rest = records.flatMap(isNamedByHead ? ([_head, ...parts]) => parts : (parts) => parts)
  if (!rest.every(isPart)) return false
  const touches = first.reduce((total, node) => total + tree.countTouches(node), 0)
  if (touches === 0 || touches > MAX_TOUCHES) return false
  const columns = first.map((node, at) => ({
    isTouched: tree.countTouches(node) > 0,
    labels: whole.map((parts) => (parts[at] === undefined ? '' : readPartLabel(parts[at]))),
  }))
  const texts = columns.filter(({ isTouched }) => !isTouched)
  const titles = columns.filter(({ isTouched, labels }) => isTouched && isDistinct(labels))
  // Several controls with words of their own are rows themselves, and equal controls side by side are a grid.
  if (titles.length > 1 || new Set(columns.map(({ labels }) => labels[0])).size < columns.length) return false
  return (isNamedByHead || texts.length > 0) && [...texts, ...titles].some(({ labels }) => isDistinct(labels))
}

/**
 * Whether each record begins with a box that names it and takes the touch, and ends with a button that is narrower and
 * that most of the others have too: the button is about what the box names.
 */
function isHeaded(records: readonly (readonly UiNode[])[], tree: TreeIndex): boolean {
  const buttons = records.flatMap(([_head, ...parts]) => parts.filter((part) => tree.countTouches(part) > 0))
  const labels = buttons.map(readPartLabel)
  const isEqual = labels.every((label) => label !== '') && new Set(labels).size <= labels.length * DISTINCT_SHARE
  return isEqual && records.every(([head, ...parts]) => head !== undefined && isHead(head, parts, tree))
}

function isHead(head: UiNode, parts: readonly UiNode[], tree: TreeIndex): boolean {
  const width = measureWidth(readBounds(head))
  return (
    tree.countLabels(head) > 1 &&
    isTrue(head, 'clickable') &&
    findKind(head, true) !== 'field' &&
    parts.every((part) => tree.countTouches(part) === 0 || measureWidth(readBounds(part)) < width * NARROW_SHARE)
  )
}

const NARROW_SHARE = 0.6

const readPartLabel = (node: UiNode): string => readLabel(node) || (listCells(node)[0]?.text ?? '')

/** Whether most labels of a column are different. */
function isDistinct(labels: readonly string[]): boolean {
  const shown = labels.filter((label) => label !== '')
  return shown.length === labels.length && new Set(shown).size > labels.length * DISTINCT_SHARE
}

const DISTINCT_SHARE = 0.5

/** Whether each record is below the one before it. */
function areStacked(records: readonly (readonly UiNode[])[]): boolean {
  const places = records.map((parts) => unite(parts))
  return places.every((place, at) => {
    const before = places[at - 1]
    return before === undefined || place.top >= before.bottom
  })
}

/** Whether all records begin at one edge. The title of a page and that of a part of it do not. */
function areAligned(records: readonly (readonly UiNode[])[]): boolean {
  const places = records.map((parts) => unite(parts))
  return (['left', 'right'] as const).some((edge) =>
    places.every((place) => isNear(place[edge], places[0]?.[edge] ?? 0, EDGE_TOLERANCE)),
  )
}

const EDGE_TOLERANCE = 4

function toBox(parts: readonly UiNode[], holder: UiNode): UiNode {
  return {
    path: parts[0]?.path ?? holder.path,
    depth: holder.depth + 1,
    parent: holder,
    children: parts,
    attributes: {},
    bounds: unite(parts),
  }
}
