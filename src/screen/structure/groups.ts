import { type UiNode, isTrue } from '../tree/hierarchy.ts'
import { arrangeLines, isNear, measureHeight, measureWidth, shareOverlap, unite } from './geometry.ts'
import { findKind, isListClass, readBounds } from './node-kind.ts'
import type { RowGroup } from './row-group.ts'
import { SIMILAR, type Shape } from './shape.ts'
import type { TreeIndex } from './tree-index.ts'

/** Finds the groups of similar nodes below one holder. */
export function findGroups(holder: UiNode, tree: TreeIndex): RowGroup[] {
  const candidates = tree.listChildren(holder).filter((child) => tree.findShape(child) !== null)
  if (candidates.length === 0) return []
  const scroller = tree.findScroller(holder)
  const isList = isListClass(holder) || isContentBox(holder, scroller, tree)
  const groups: RowGroup[] = []
  const clusters = isBar(candidates, tree) ? [candidates] : clusterByShape(candidates, tree)
  for (const cluster of clusters) {
    for (const members of splitByPlace(cluster, isList, tree)) {
      const kept = members.filter((member) => isCandidate(member, holder, isList, tree))
      if (kept.length < 2 && !(kept[0] !== undefined && isSingleRow(kept[0], holder, isList, tree))) continue
      const lines = arrangeLines(kept)
      groups.push({ holder, members: lines.flat(), direction: findDirection(lines, scroller), scroller })
    }
  }
  return groups
}

/**
 * Whether nodes make a bar: three or more that take a touch, side by side, equally high and about equally wide. They
 * belong together even if one has a badge or another picture.
 */
function isBar(nodes: readonly UiNode[], tree: TreeIndex): boolean {
  const [first] = nodes
  if (first === undefined || nodes.length < 3 || nodes.length > MAX_BAR_SIZE) return false
  const place = readBounds(first)
  return nodes.every((node) => {
    const shape = tree.findShape(node)
    const { top, bottom } = readBounds(node)
    if (shape === null || !shape.touch || shape.kind === 'field') return false
    const ratio = measureWidth(readBounds(node)) / Math.max(1, measureWidth(place))
    return top === place.top && bottom === place.bottom && ratio > 0.8 && ratio < 1.25
  })
}

const MAX_BAR_SIZE = 7

/** Whether the holder is what a scroller moves: the scroller itself or the only child of one, at any depth. */
function isContentBox(holder: UiNode, scroller: UiNode | undefined, tree: TreeIndex): boolean {
  if (scroller === undefined) return false
  for (let at: UiNode | null = holder; at !== null; at = at.parent) {
    if (at === scroller) return true
    if (at.parent === null || tree.listChildren(at.parent).length > 1) return false
  }
  return false
}

const MAX_REPRESENTATIVES = 12

interface Cluster {
  readonly shapes: Shape[]
  readonly members: UiNode[]
}

/** Each node joins the first cluster that it resembles. The number of comparisons is bounded. */
function clusterByShape(nodes: readonly UiNode[], tree: TreeIndex): UiNode[][] {
  const clusters: Cluster[] = []
  const byShape = new Map<number, Cluster>()
  for (const node of nodes) {
    const shape = tree.findShape(node)
    if (shape === null) continue
    const known = byShape.get(shape.id)
    const cluster = known ?? clusters.slice(-MAX_REPRESENTATIVES).find((one) => resembles(one, shape, node, tree))
    if (cluster === undefined) {
      const fresh = { shapes: [shape], members: [node] }
      clusters.push(fresh)
      byShape.set(shape.id, fresh)
      continue
    }
    cluster.members.push(node)
    byShape.set(shape.id, cluster)
    if (known === undefined && cluster.shapes.length < MAX_VARIANTS) cluster.shapes.push(shape)
  }
  return clusters.map(({ members }) => members)
}

const MAX_VARIANTS = 3

function resembles(cluster: Cluster, shape: Shape, node: UiNode, tree: TreeIndex): boolean {
  const [peer] = cluster.members
  const isCut = (one: Shape) => peer !== undefined && isCutPlace(one.size < shape.size ? peer : node, peer, node, tree)
  return cluster.shapes.some(
    (one) => tree.reader.compare(one, shape) >= SIMILAR || (isPartly(one, shape, tree) && isCut(one)),
  )
}

/** Whether most of the smaller shape is in the larger one. */
function isPartly(a: Shape, b: Shape, tree: TreeIndex): boolean {
  if (a.touch !== b.touch) return false
  if (Math.min(a.size, b.size) <= 2) return true
  if (a.kind !== b.kind) return false
  return tree.reader.countMatched(a, b, 0) >= Math.min(a.size, b.size) * CUT_SHARE
}

/** Whether a row is cut by the edge of its scroller and so shows a part of its content only. */
function isCutPlace(cut: UiNode, a: UiNode, b: UiNode, tree: TreeIndex): boolean {
  const [first, second] = [readBounds(a), readBounds(b)]
  if (first.left === second.left && first.right === second.right) return isCutDown(cut, tree)
  return first.top === second.top && first.bottom === second.bottom && isCutAcross(cut, tree)
}

const CUT_SHARE = 0.8

function isCutDown(node: UiNode, tree: TreeIndex): boolean {
  const scroller = tree.findScroller(node)
  if (scroller === undefined) return false
  const [inner, outer] = [readBounds(node), readBounds(scroller)]
  return inner.top <= outer.top || inner.bottom >= outer.bottom
}

function isCutAcross(node: UiNode, tree: TreeIndex): boolean {
  const scroller = tree.findScroller(node)
  if (scroller === undefined) return false
  const [inner, outer] = [readBounds(node), readBounds(scroller)]
  return inner.left <= outer.left || inner.right >= outer.right
}

/** Splits a cluster into nodes that stand side by side. Nodes that cover each other are no group. */
function splitByPlace(cluster: readonly UiNode[], isList: boolean, tree: TreeIndex): UiNode[][] {
  if (cluster.length < 2) return [[...cluster]]
  const lines = arrangeLines(cluster)
  const ordered = lines.flat()
  const covered = ordered.some((node, at) => {
    const next = ordered[at + 1]
    return next !== undefined && shareOverlap(readBounds(node), readBounds(next)) > MAX_OVERLAP
  })
  if (covered) return []
  if (lines.length === 1) return [ordered]
  if (lines.some((line) => line.length > 1)) return splitGrid(lines, tree)
  return isList ? [ordered] : splitColumns(ordered, measureWidth(tree.window) * PLACE_TOLERANCE)
}

const MAX_OVERLAP = 0.3
const PLACE_TOLERANCE = 0.02

/** Nodes one below the other belong together if they have the same left and width. */
function splitColumns(nodes: readonly UiNode[], tolerance: number): UiNode[][] {
  const columns: UiNode[][] = []
  for (const node of nodes) {
    const { left, right } = readBounds(node)
    const column = columns.slice(-MAX_REPRESENTATIVES).find(([first]) => {
      const place = first && readBounds(first)
      return place !== undefined && isNear(place.left, left, tolerance) && isNear(place.right, right, tolerance)
    })
    if (column === undefined) columns.push([node])
    else column.push(node)
  }
  return columns
}

/**
 * Lines of nodes belong together if their nodes are about equally high. A line at the edge of a scroller may be cut.
 * Nodes that fill a line alone are rows beside the grid.
 */
function splitGrid(lines: readonly (readonly UiNode[])[], tree: TreeIndex): UiNode[][] {
  const span = Math.max(...lines.map((line) => measureWidth(unite(line))))
  const rows = lines.filter((line) => line.length === 1 && measureWidth(unite(line)) >= span * LINE_SHARE)
  const isRow = new Set(rows)
  const grids: { height: number; readonly members: UiNode[] }[] = []
  for (const line of lines) {
    const [first] = line
    if (first === undefined || isRow.has(line)) continue
    const grid = grids.at(-1)
    const height = measureHeight(readBounds(first))
    const isCut = isCutDown(first, tree)
    const last = grid?.members.at(-1)
    const gap = last === undefined ? 0 : readBounds(first).top - readBounds(last).bottom
    const ratio = grid === undefined ? 0 : Math.max(height, grid.height) / Math.max(1, Math.min(height, grid.height))
    if (
      grid !== undefined &&
      gap <= Math.max(height, grid.height) * limitGap(line, grid.members) &&
      (isCut || ratio <= MAX_HEIGHT_RATIO || grid.height === 0)
    ) {
      grid.members.push(...line)
      if (!isCut) grid.height = height
    } else grids.push({ height: isCut ? 0 : height, members: [...line] })
  }
  return [...grids.map(({ members }) => members), rows.flat()].filter((members) => members.length > 0)
}

/**
 * How far a line of a grid may be below the lines above it, in heights of a line. Its members start, end or have their
 * middle where members above have it. One of them alone may do so by chance unless it is close.
 */
function limitGap(line: readonly UiNode[], above: readonly UiNode[]): number {
  const aligned = line.filter((node) => {
    const { left, right } = readBounds(node)
    return above.some((one) => {
      const place = readBounds(one)
      return place.left === left || place.right === right || place.left + place.right === left + right
    })
  })
  return aligned.length >= 2 ? MAX_GAP_RATIO : aligned.length
}

const LINE_SHARE = 0.8
const MAX_HEIGHT_RATIO = 1.6
/** Lines that are further apart, in heights of a line, belong to different parts of the screen: a top and a bottom bar. */
const MAX_GAP_RATIO = 4

/** A member has something to touch or several texts. In a list, one text is enough. What scrolls is a list itself. */
function isCandidate(node: UiNode, holder: UiNode, isList: boolean, tree: TreeIndex): boolean {
  const shape = tree.findShape(node)
  if (shape === null || isTrue(shape.node, 'scrollable')) return false
  if (shape.touch || tree.countTouches(node) > 0) return true
  const labels = tree.countLabels(node)
  return labels >= 2 || (isList && labels >= 1 && (isListClass(holder) || node.children.length > 0))
}

/**
 * The only entry of a list: in a list of a known class, or with several texts and either a long press of its own or the
 * width of what scrolls it. What fills the scroller is a page.
 */
function isSingleRow(node: UiNode, holder: UiNode, isList: boolean, tree: TreeIndex): boolean {
  if (isListClass(holder)) return tree.countLabels(node) > 0
  if (tree.countTouches(node) > MAX_ROW_TOUCHES) return false
  if (isTrue(node, 'long-clickable') && findKind(node, true) !== 'field' && tree.countLabels(node) >= 2) return true
  if (!isList || tree.findShape(node)?.touch !== true || tree.countLabels(node) < 2) return false
  const scroller = tree.findScroller(holder)
  if (scroller === undefined) return false
  const [place, frame] = [readBounds(node), readBounds(scroller)]
  return (
    measureWidth(place) >= measureWidth(frame) * MAIN_SHARE && measureHeight(place) <= measureHeight(frame) * MAIN_SHARE
  )
}

const MAIN_SHARE = 0.6
const MAX_ROW_TOUCHES = 4

function findDirection(lines: readonly (readonly UiNode[])[], scroller: UiNode | undefined): RowGroup['direction'] {
  if (lines.every((line) => line.length === 1)) {
    const only = lines.length === 1 ? lines[0]?.[0] : undefined
    return only !== undefined && scroller !== undefined && isStrip(scroller) ? 'across' : 'down'
  }
  return lines.length === 1 ? 'across' : 'grid'
}

function isStrip(scroller: UiNode): boolean {
  return /Horizontal|LazyRow/.test(scroller.attributes['class'] ?? '')
}
