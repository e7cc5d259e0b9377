import type { UiNode } from '../../src/screen/tree/hierarchy.ts'
import { listCells } from '../../src/screen/structure/cells.ts'
import { measureWidth, shareOverlap } from '../../src/screen/structure/geometry.ts'
import { findKind, isScroller, readBounds, takesTouch } from '../../src/screen/structure/node-kind.ts'
import { type ScreenStructure, analyzeStructure } from '../../src/screen/structure/structure.ts'
import type { Tree, TreeLabels } from './trees-corpus.ts'

export interface RowCounts {
  /** Rows of data, and how many of them the analysis takes for data. */
  readonly rows: number
  readonly found: number
  /** Nodes that are no rows of data, and how many the analysis takes for data. Known only from labels. */
  readonly others: number
  readonly mistaken: number
}

/** Counts rows by the labels of a person, or else by a plain rule that knows nothing of the analysis. */
export function countRows(tree: Tree, labels: TreeLabels | undefined): RowCounts {
  const structure = analyzeStructure(tree.visible)
  const byPath = new Map(tree.visible.map((node) => [node.path, node]))
  const toNodes = (paths: readonly string[] = []) => paths.flatMap((path) => byPath.get(path) ?? [])
  const rows = labels === undefined ? findPlainRows(tree.visible) : toNodes(labels.data)
  const others = toNodes(labels?.other)
  return {
    rows: rows.length,
    found: rows.filter((node) => isTakenForData(node, structure)).length,
    others: others.length,
    mistaken: others.filter((node) => isTakenForData(node, structure)).length,
  }
}

/** Whether the row around the node is a row of data and no larger or smaller than the node. */
function isTakenForData(node: UiNode, structure: ScreenStructure): boolean {
  const row = findRowAround(node, structure)
  if (row === undefined || structure.classify(row.group) !== 'data') return false
  return joinTexts(row.node) === joinTexts(node) || coversSame(row.node, node)
}

/** The row of the node, or of the only child below it. */
function findRowAround(node: UiNode, structure: ScreenStructure) {
  for (
    let at: UiNode | undefined = node;
    at !== undefined;
    at = at.children.length === 1 ? at.children[0] : undefined
  ) {
    const row = structure.findRow(at)
    if (row !== undefined) return row
  }
  return undefined
}

function joinTexts(node: UiNode): string {
  return listCells(node)
    .map(({ text }) => text)
    .join('\n')
}

function coversSame(a: UiNode, b: UiNode): boolean {
  const [first, second] = [readBounds(a), readBounds(b)]
  const size = (place: typeof first) => (place.right - place.left) * (place.bottom - place.top)
  return shareOverlap(first, second) * Math.min(size(first), size(second)) >= Math.max(size(first), size(second)) * 0.7
}

/** Three or more wide nodes that take a touch, with two texts each, of one class, left and width, in one scroller. */
function findPlainRows(visible: readonly UiNode[]): UiNode[] {
  const columns = new Map<string, UiNode[]>()
  for (const node of visible) {
    const scroller = takesTouch(node) && findKind(node, true) !== 'field' ? findScrollerAbove(node) : undefined
    if (scroller === undefined || listCells(node).length < 2) continue
    const place = readBounds(node)
    if (measureWidth(place) < measureWidth(readBounds(scroller)) * WIDE_SHARE) continue
    const key = `${scroller.path}:${node.attributes['class']}:${place.left}:${place.right}`
    columns.set(key, [...(columns.get(key) ?? []), node])
  }
  return [...columns.values()].filter((column) => column.length >= 3).flat()
}

const WIDE_SHARE = 0.6

/** Undefined if something between the node and the scroller takes a touch: the node is a part of it. */
function findScrollerAbove(node: UiNode): UiNode | undefined {
  for (let at = node.parent; at !== null; at = at.parent) {
    if (isScroller(at)) return at
    if (takesTouch(at)) return undefined
  }
  return undefined
}
