import type { NodePredicates } from '@apprentice/contracts/devices/matcher.ts'
import { readCaption } from './control-actions.ts'
import { normalizeLabel } from './label-match.ts'
import { findStructure } from './row-around.ts'
import { hasArea } from './tree/bounds.ts'
import { attribute, isTrue, subtree, type UiNode } from './tree/hierarchy.ts'

/** Whether a node is in the row at a place of a group of as many. */
export function isInMember(node: UiNode, { at, of }: NonNullable<NodePredicates['member']>): boolean {
  const row = findStructure(node).findRow(node)
  return row !== undefined && row.group.members.length === of && row.group.members[at] === row.node
}

/** Whether a node is in the row between two rows with these labels. */
export function isBetween(node: UiNode, { after, before }: NonNullable<NodePredicates['between']>): boolean {
  const row = findStructure(node).findRow(node)
  const members = row?.group.members ?? []
  const at = row === undefined ? -1 : members.indexOf(row.node)
  const says = (member: UiNode | undefined, words: string): boolean =>
    member !== undefined && normalizeLabel(readCaption(member)) === normalizeLabel(words)
  return says(members[at - 1], after) && says(members[at + 1], before)
}

/**
 * Whether a control of a list entry has a new label: the other entries have such a control under the same label, and none
 * under the old one. A state of one entry alone would change the label of its control only.
 */
export function isRenamed(node: UiNode, from: string): boolean {
  const row = findStructure(node).findRow(node)
  const caption = normalizeLabel(readCaption(node))
  if (row === undefined || caption === '') return false
  const others = row.group.members.filter((member) => member !== row.node)
  const captions = others.map((member) =>
    [...subtree(member)].filter((one) => isSameControl(one, node)).map((one) => normalizeLabel(readCaption(one))),
  )
  const alike = captions.filter((labels) => labels.includes(caption)).length
  const isOld = captions.some((labels) => labels.includes(normalizeLabel(from)))
  return !isOld && alike >= MIN_ALIKE && alike * 2 >= others.length
}

const isSameControl = (one: UiNode, other: UiNode): boolean =>
  attribute(one, 'class') === attribute(other, 'class') && isTrue(one, 'clickable') && isTrue(other, 'clickable')

const MIN_ALIKE = 2

/** Whether the list entry around a node is the first or last of those on the screen. */
export function isAtPosition(node: UiNode, position: 'first' | 'last'): boolean {
  const row = findStructure(node).findRow(node)
  const members = row?.group.members ?? []
  return row !== undefined && members.at(position === 'first' ? 0 : -1) === row.node
}

/** Whether a node stands at a place. Where the middle of a text with a value is depends on the length of the value. */
export function isAtPlace(node: UiNode, { x, y }: NonNullable<NodePredicates['place']>, showsValue: boolean): boolean {
  const { bounds } = node
  let root = node
  while (root.parent !== null) root = root.parent
  const window = root.bounds
  if (bounds === null || window === null || !hasArea(window)) return false
  const width = window.right - window.left
  const across = ((bounds.left + bounds.right) / 2 - window.left) / width
  const down = ((bounds.top + bounds.bottom) / 2 - window.top) / (window.bottom - window.top)
  const isText = showsValue && node.children.length === 0 && !isTrue(node, 'clickable')
  const isInside = (bounds.left - window.left) * 10 <= x * width && x * width <= (bounds.right - window.left) * 10
  return (Math.abs(across * 10 - x) <= 1 || (isText && isInside)) && Math.abs(down * 10 - y) <= 1
}
