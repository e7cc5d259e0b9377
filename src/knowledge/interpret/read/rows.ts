import { area } from '../../../screen/tree/bounds.ts'
import { isTrue, type UiNode } from '../../../screen/tree/hierarchy.ts'
import { findStructure } from '../../../screen/row-around.ts'
import { type Cell, listCells } from '../../../screen/structure/cells.ts'
import { isFlatRow } from '../../../screen/structure/flat-rows.ts'
import { splitLabel } from '../../../screen/structure/label-parts.ts'
import { isMeasure } from '../../../screen/structure/mask-text.ts'
import { findKind } from '../../../screen/structure/node-kind.ts'
import { chooseKey } from '../../../screen/structure/row-key.ts'
import { isStateWord } from '../../../screen/structure/state-words.ts'
import type { GroupClass, Row, RowGroup } from '../../../screen/structure/structure.ts'
import { normalizeLabel } from '../../../screen/label-match.ts'
import type { Screen } from './screen.ts'

export type { Row, RowGroup } from '../../../screen/structure/structure.ts'
export type { Cell } from '../../../screen/structure/cells.ts'

/** A list entry that an input names. */
export interface Entry {
  readonly row: Row
  /** The text that names it. */
  readonly cell: Cell
  readonly input: string
}

/** The row that a node is, or is part of. */
export function findRowAround(node: UiNode): Row | undefined {
  return findStructure(node).findRow(node)
}

/** All rows of a screen that are visible. */
export function listRows({ nodes }: Pick<Screen, 'nodes'>): Row[] {
  const [first] = nodes
  if (first === undefined) return []
  const visible = new Set(nodes)
  return findStructure(first).rows.filter(({ node }) =>
    (isFlatRow(node) ? node.children : [node]).some((one) => visible.has(one)),
  )
}

export function classifyRow(row: Row): GroupClass {
  return findStructure(row.node).classify(row.group)
}

/** Whether a row comes from the data of the app. */
export const isDataRow = (row: Row): boolean => classifyRow(row) === 'data'

/** Whether a node is in a row that comes from the data of the app. */
export function isInDataRow(node: UiNode): boolean {
  const row = findRowAround(node)
  return row !== undefined && isDataRow(row)
}

/**
 * The text that names a row: it tells the row apart from the others, and is no value or state if possible. `peers` are
 * the groups of the same list on other screens.
 */
export function findIdentity(row: Row, peers: readonly RowGroup[] = []): Cell | undefined {
  const all = listCells(row.node).filter(({ text }) => isReadable(text))
  const named = all.filter((cell) => !isControl(cell.node, row.node) || isLink(cell, row))
  const cells = named.length > 0 ? named : all
  const title = cells.find(({ node }) => node.attributes['resource-id'] === 'android:id/title')
  if (title !== undefined) return title
  const code = cells.find(({ text }) => CODE.test(text) && isAlone(text, row))
  const key = chooseKey(row, peers).find((one) => cells.some((cell) => cell.text === one.text))
  const best = code ?? key ?? cells.find(({ text }) => !isMeasure(text) && !isStateWord(text)) ?? cells[0]
  return best && (findKeyPart(best, row, peers) ?? best)
}

/** A small node inside a row that takes a touch of its own: its label says what it does, not what the row is. */
function isControl(node: UiNode, row: UiNode): boolean {
  for (let at: UiNode | null = node; at !== null && at !== row; at = at.parent) {
    if (isTrue(at, 'clickable') && at.bounds !== null && row.bounds !== null) {
      return area(at.bounds) < area(row.bounds) * CONTROL_SHARE
    }
  }
  return false
}

const CONTROL_SHARE = 0.35

/** A text that opens its row, such as the title of a row on a web page: no button, and another one in each row. */
function isLink({ node, text }: Cell, row: Row): boolean {
  if (row.group.members.length < 2 || (node.attributes['text'] ?? '').trim() === '') return false
  return !/Button|CheckBox|Switch/.test(node.attributes['class'] ?? '') && isAlone(text, row)
}

/** A symbol such as an empty box is no name. */
export const isReadable = (text: string): boolean => /[\p{L}\p{N}]/u.test(text)

/** The number of an order or a ticket. */
const CODE = /^(?:#|№|no\.?|nr\.?)\s?\p{N}{2,}$/iu

function isAlone(text: string, { node, group }: Row): boolean {
  return group.members.every((member) => member === node || listCells(member).every((cell) => cell.text !== text))
}

/**
 * React Native joins the texts of a row in one description: "Bench Press, Chest, 60 kg". If all rows are joined that way,
 * the key is one of the parts.
 */
function findKeyPart(cell: Cell, row: Row, peers: readonly RowGroup[]): Cell | undefined {
  const isJoined = cell.node.children.length === 0 && (cell.node.attributes['text'] ?? '').trim() === ''
  const own = splitLabel(cell.text)
  if (!isJoined || own.length < 2) return undefined
  const others = [row.group, ...peers]
    .flatMap(({ members }) => members)
    .filter((member) => member !== row.node && !showsSame(member, row.node))
    .map((member) => splitLabel(listCells(member).find(({ line }) => line === cell.line)?.text ?? ''))
  if (others.length === 0 || others.some((parts) => parts.length < 2)) return undefined
  const at = own.findIndex((part, index) => {
    if (isMeasure(part) || isStateWord(part)) return false
    return others.every((parts) => parts[index] !== part)
  })
  const text = own[at]
  return text === undefined ? undefined : { ...cell, text }
}

function showsSame(one: UiNode, other: UiNode): boolean {
  return one.attributes['content-desc'] === other.attributes['content-desc']
}

/**
 * The row of a screen that shows a text in one of its cells. What stands in the only field of its kind was just typed, and
 * names nothing yet; a list may also have a field in each of its rows.
 */
export function findRowByText(text: string, screen: Screen): Row | undefined {
  const wanted = normalizeLabel(text)
  return listRows(screen).find((row) => hasCell(row, wanted))
}

function hasCell(row: Row, wanted: string): boolean {
  return listCells(row.node).some((cell) => {
    const isShown =
      normalizeLabel(cell.text) === wanted || splitLabel(cell.text).some((part) => normalizeLabel(part) === wanted)
    return isShown && (!isField(cell.node) || countRowsWithField(row) > 1)
  })
}

const isField = (node: UiNode): boolean => findKind(node, true) === 'field'

const countRowsWithField = ({ group }: Row): number =>
  group.members.filter((member) => listCells(member).some(({ node }) => isField(node))).length
