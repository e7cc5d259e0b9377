import type { UiNode } from './tree/hierarchy.ts'
import { readLabel } from './tree/roles.ts'
import { subtree } from './tree/hierarchy.ts'
import { isMeasure } from './structure/mask-text.ts'
import { takesTouch } from './structure/node-kind.ts'
import { analyzeStructure, type RowGroup, type ScreenStructure } from './structure/structure.ts'

/** One analysis per tree. */
const structures = new WeakMap<UiNode, ScreenStructure>()

/** The structure of the tree that a node belongs to. */
export function findStructure(node: UiNode): ScreenStructure {
  let root = node
  while (root.parent !== null) root = root.parent
  const known = structures.get(root)
  if (known !== undefined) return known
  const found = analyzeStructure([...subtree(root)])
  structures.set(root, found)
  return found
}

/** The list entry that a node is, or is part of. A node outside all lists is in its nearest small box. */
export function findRowAround(node: UiNode): UiNode | undefined {
  return findStructure(node).findRow(node)?.node ?? findBox(node)
}

/**
 * The parts beside a node on its line, with itself, unless it is in an entry: the only entry of a list has no
 * box, and no other entry to be compared with, in the trees of some toolkits.
 */
export function listOnLine(node: UiNode): readonly UiNode[] {
  const { parent, bounds } = node
  const structure = findStructure(node)
  const row = structure.findRow(node)
  if (parent === null || bounds === null || (row !== undefined && structure.classify(row.group) === 'data')) return []
  const middle = (bounds.top + bounds.bottom) / 2
  return parent.children.filter(({ bounds: one }) => one !== null && one.top <= middle && one.bottom >= middle)
}

/**
 * A number, an amount or a time with the caption directly above it at the same edge, in the box that holds both. Empty for
 * other nodes, and in list entries.
 */
export function listWithCaption(node: UiNode): readonly UiNode[] {
  const { parent, bounds } = node
  if (parent === null || bounds === null || node.children.length > 0 || !isMeasure(readLabel(node))) return []
  const structure = findStructure(node)
  const row = structure.findRow(node)
  if (row !== undefined && structure.classify(row.group) === 'data') return []
  const caption = parent.children[parent.children.indexOf(node) - 1]
  const place = caption?.bounds
  if (caption === undefined || place == null || caption.children.length > 0 || takesTouch(caption)) return []
  const gap = bounds.top - place.bottom
  const isAbove = gap >= -EDGE && gap <= bounds.bottom - bounds.top && Math.abs(place.left - bounds.left) <= EDGE
  return isAbove && /\p{L}/u.test(readLabel(caption)) && !isMeasure(readLabel(caption)) ? [caption, node] : []
}

const EDGE = 4

/** The lists and choices that a node is in. */
export function findGroupsAround(node: UiNode): readonly RowGroup[] {
  const around = new Set<UiNode>()
  for (let at: UiNode | null = node; at !== null; at = at.parent) around.add(at)
  return findStructure(node).groups.filter(({ members }) => members.some((member) => around.has(member)))
}

/** The largest box around a node that is at most a third of its window high. */
function findBox(node: UiNode): UiNode | undefined {
  let root = node
  while (root.parent !== null) root = root.parent
  const limit = measureHeight(root) * MAX_BOX_SHARE
  let box: UiNode | undefined
  for (let at: UiNode | null = node, level = 0; at !== null && level <= MAX_BOX_LEVELS; at = at.parent, level += 1) {
    if (measureHeight(at) > limit) break
    box = at
  }
  return box
}

const MAX_BOX_SHARE = 0.34
const MAX_BOX_LEVELS = 3

const measureHeight = ({ bounds }: UiNode): number => (bounds === null ? 0 : bounds.bottom - bounds.top)
