import { attribute, isTrue, type UiNode } from '../../../screen/hierarchy.ts'
import { isDynamicText } from '../../../screen/fingerprint.ts'
import { listAncestors, isList, isTextField, type Screen, readTitle } from './screen.ts'
import { isFrameworkId, resourceId, readText, listTextNodes } from './node-text.ts'

/** One of several similar nodes: an entry of a list, a card of a grid. */
export interface Row {
  readonly node: UiNode
  readonly list: UiNode
  /** All similar nodes of the list, including itself. */
  readonly siblings: readonly UiNode[]
}

/** A list entry that an input names. */
export interface Entry {
  readonly row: Row
  /** The cell with its name. */
  readonly cell: UiNode
  readonly input: string
}

/** The nearest row that a node is, or is part of. */
export function findRowAround(node: UiNode): Row | undefined {
  for (const one of [node, ...listAncestors(node)]) {
    const row = toRow(one)
    if (row !== undefined) return row
  }
  return undefined
}

/** All rows among some nodes. */
export function listRows(nodes: readonly UiNode[]): Row[] {
  return nodes.flatMap((node) => toRow(node) ?? [])
}

/**
 * An entry of a list is a row even if it is the only one. Elsewhere a row needs a similar sibling, and
 * an id or children: two plain buttons side by side are no rows.
 */
export function toRow(node: UiNode): Row | undefined {
  const list = node.parent
  if (list === null || isTextField(node) || listTextNodes(node).length === 0) return undefined
  const siblings = list.children.filter((other) => isAlike(node, other))
  const isRepeated = siblings.length > 1 && (resourceId(node) !== '' || node.children.length > 0)
  const isEntry = isList(list) && !isFixedEntry(node, list)
  return isRepeated || isEntry ? { node, list, siblings } : undefined
}

/** An entry of a settings page has an id that no sibling has, and its texts have framework ids. */
function isFixedEntry(node: UiNode, list: UiNode): boolean {
  const id = resourceId(node)
  if (id === '') return false
  const isAlone = list.children.every((other) => other === node || resourceId(other) !== id)
  return isAlone && (list.children.length > 1 || [...collectIds(node)].every(isFrameworkId))
}

function isAlike(node: UiNode, other: UiNode): boolean {
  if (node === other) return true
  if (attribute(node, 'class') !== attribute(other, 'class')) return false
  if (resourceId(node) !== resourceId(other)) return false
  if (isTrue(node, 'clickable') !== isTrue(other, 'clickable')) return false
  return sharesShape(node, other)
}

/** Whether two nodes share an id of a text, or both have none. Some parts are visible only at times. */
function sharesShape(node: UiNode, other: UiNode): boolean {
  const [ids, otherIds] = [collectIds(node), collectIds(other)]
  if (ids.size === 0 || otherIds.size === 0) return ids.size === otherIds.size
  return [...ids].some((id) => otherIds.has(id))
}

/** The ids of the texts in a row. */
function collectIds(row: UiNode): Set<string> {
  return new Set(
    listTextNodes(row)
      .map(resourceId)
      .filter((id) => id !== ''),
  )
}

/**
 * The cell that names a row. It differs from the cells of all siblings if possible. A name that appears
 * again on the opened screen comes first, then the first cell that is more than a symbol or a number.
 */
export function findIdentity(row: Row, opened?: Screen): UiNode | undefined {
  const cells = listTextNodes(row.node)
  const distinctive = cells.filter((cell) => isDistinctive(cell, row))
  const named = distinctive.filter(isName)
  return named.find((cell) => reappears(cell, opened)) ?? named[0] ?? distinctive[0] ?? cells[0]
}

function isName(cell: UiNode): boolean {
  const text = readText(cell)
  return text.length > 2 && !isDynamicText(text)
}

function reappears(cell: UiNode, opened: Screen | undefined): boolean {
  if (opened === undefined) return false
  const text = readText(cell)
  if (readTitle(opened) === text) return true
  return opened.nodes.some((node) => readText(node) === text && findRowAround(node) === undefined)
}

function isDistinctive(cell: UiNode, { node, siblings }: Pick<Row, 'node' | 'siblings'>): boolean {
  const text = readText(cell)
  return siblings.every((other) => other === node || listTextNodes(other).every((one) => readText(one) !== text))
}

/** An entry of a settings page of the framework: all its texts have framework ids. */
function isPreference({ node }: Row): boolean {
  const ids = [...collectIds(node)]
  return ids.length > 0 && ids.every(isFrameworkId)
}

/** Whether a row comes from the data of the app: an entry of a list, or a row with ids of the app. */
export function isDataRow(row: Row): boolean {
  if (isPreference(row)) return false
  const ids = [resourceId(row.node), ...collectIds(row.node)]
  const hasAppId = ids.some((id) => id !== '' && !isFrameworkId(id))
  const isRepeated = row.siblings.length > 1
  return isRepeated ? hasAppId || isList(row.list) : isList(row.list) && row.list.children.length === 1
}
