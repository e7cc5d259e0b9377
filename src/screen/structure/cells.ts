import { type UiNode, attribute, isTrue } from '../tree/hierarchy.ts'
import { readLabel } from '../tree/roles.ts'
import { arrangeLines } from './geometry.ts'
import { splitLabel, splitLines } from './label-parts.ts'
import { isShown } from './node-kind.ts'

/** A text of a row: the label of a node, or one line of a multi-line label (Flutter draws a whole card as one leaf). */
export interface Cell {
  readonly node: UiNode
  readonly text: string
  /** Line of the label, from 0. Absent if the cell is the whole label. */
  readonly line?: number
}

/** Lists the texts of a row in reading order. A text that the row shows twice is listed once. */
export function listCells(row: UiNode): Cell[] {
  const owners: UiNode[] = []
  collectOwners(row, owners)
  const seen = new Set<string>()
  const cells: Cell[] = []
  for (const cell of arrangeReading(owners).flatMap(toCells)) {
    if (seen.has(cell.text)) continue
    seen.add(cell.text)
    cells.push(cell)
  }
  return cells
}

/** Sorts labelled nodes as they are read: by lines, from the right if most letters are of a script that runs so. */
function arrangeReading(nodes: readonly UiNode[]): UiNode[] {
  const lines = arrangeLines(nodes)
  const labels = nodes.map((node) => readLabel(node)).join('')
  const isFromRight = (labels.match(RIGHT_TO_LEFT)?.length ?? 0) * 2 > (labels.match(/\p{L}/gu)?.length ?? 0)
  return lines.flatMap((line) => (isFromRight ? line.toReversed() : line))
}

const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}]/gu

/**
 * Collects the nodes whose labels are texts of the row. A container whose label is made of the labels inside it adds
 * nothing: React Native joins them with commas, a web view with spaces.
 */
function collectOwners(node: UiNode, owners: UiNode[]): void {
  const before = owners.length
  for (const child of node.children) if (isShown(child)) collectOwners(child, owners)
  const label = isTrue(node, 'password') ? '' : readReadable(node)
  if (label === '') return
  const inner = owners.slice(before)
  if (inner.length > 0 && repeats(node, label, inner)) return
  owners.push(node)
}

function repeats(node: UiNode, label: string, inner: readonly UiNode[]): boolean {
  return attribute(node, 'text').trim() === '' ? repeatsLabels(label, inner) : joinsLabels(label, inner)
}

/** Whether a text is nothing but the labels of several nodes in their order. */
function joinsLabels(label: string, inner: readonly UiNode[]): boolean {
  if (inner.length < 2) return false
  let rest = label
  for (const node of inner) {
    const text = readReadable(node)
    const at = rest.indexOf(text)
    if (at < 0 || /[\p{L}\p{N}]/u.test(rest.slice(0, at))) return false
    rest = rest.slice(at + text.length)
  }
  return !/[\p{L}\p{N}]/u.test(rest)
}

function repeatsLabels(label: string, inner: readonly UiNode[]): boolean {
  const texts = inner.map((node) => readReadable(node))
  if (!texts.some((text) => label.includes(text))) return false
  return splitLabel(label).every((part) => texts.some((text) => text.includes(part) || part.includes(text)))
}

/** The label without the glyphs of icon fonts. */
function readReadable(node: UiNode): string {
  return readLabel(node)
    .replaceAll(/[\p{Co}\p{Cn}]/gu, '')
    .replaceAll(/^[\s,]+|(?<![\s,])[\s,]+$/gu, '')
}

function toCells(node: UiNode): Cell[] {
  const lines = splitLines(readReadable(node))
  const [only] = lines
  if (only !== undefined && lines.length === 1) return [{ node, text: only.text }]
  return lines.map(({ text, line }) => ({ node, text, line }))
}
