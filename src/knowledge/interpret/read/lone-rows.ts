import { attribute, isTrue, type UiNode } from '../../../screen/tree/hierarchy.ts'
import { normalizeLabel } from '../../../screen/label-match.ts'
import { type Cell, listCells } from '../../../screen/structure/cells.ts'
import { splitLabel } from '../../../screen/structure/label-parts.ts'
import { areSimilar } from '../../../screen/structure/shape.ts'
import { takesTouch } from '../../../screen/structure/node-kind.ts'
import type { Intent } from './intent.ts'
import { findRowAround, isDataRow, isReadable, listRows, type Row, type RowGroup } from './rows.ts'
import { findNode, findScroller, isInside, isSameKind, isTextField, type Screen } from './screen.ts'

/**
 * The row of data around a node that repeats nothing on its own screen: the only entry of a list. It is known by a text
 * that was typed before, which it shows, or by the rows that the same list had on an earlier screen.
 */
export function findLoneRow({ node, before }: Intent, earlier: readonly Intent[]): Row | undefined {
  if (node === undefined || before === undefined) return undefined
  const typed = listTyped(earlier)
  const units = listUnits(node, before)
  const lone =
    units.find((unit) => typed.some((text) => findShownCell(unit, text) !== undefined)) ??
    units.find((unit) => listCells(unit).some((cell) => isSearchResult(cell.text, before, earlier))) ??
    units.find((unit) => findPeerGroups(unit, before, earlier).some((group) => isWithin(unit, group, before)))
  const own = findRowAround(node)
  return own !== undefined && own.node === lone ? own : lone && toLoneRow(lone)
}

/** The texts that were typed, last first. Secrets and single letters are left out. */
export function listTyped(earlier: readonly Intent[]): string[] {
  return earlier
    .flatMap(({ typed }) => (typed?.text === undefined || typed.secret ? [] : typed.text.trim()))
    .filter((text) => text.length > 1 && isReadable(text))
    .toReversed()
}

/** The cell of a row, or the part of a joined cell, that equals a text. Case is ignored. */
export function findShownCell(row: UiNode, text: string): Cell | undefined {
  const wanted = normalizeLabel(text)
  for (const cell of listCells(row)) {
    if (isTextField(cell.node)) continue
    if (normalizeLabel(cell.text) === wanted) return cell
    const part = splitLabel(cell.text).find((one) => normalizeLabel(one) === wanted)
    if (part !== undefined) return { ...cell, text: part }
  }
  return undefined
}

/** Whether a name contains a text that was typed and is still in its field. */
export function isSearchResult(name: string, screen: Screen, earlier: readonly Intent[]): boolean {
  return listTyped(earlier).some((text) => isInField(text, screen) && isFoundBy(name, text))
}

/** Whether a text field of a screen holds a text. */
export function isInField(text: string, { nodes }: Screen): boolean {
  const wanted = normalizeLabel(text)
  return nodes.some((node) => isTextField(node) && normalizeLabel(node.attributes['text'] ?? '') === wanted)
}

/** Whether a name contains a typed text at the start of a word. In quotes it repeats the text: Add "milk". */
export function isFoundBy(name: string, typed: string): boolean {
  const [whole, part] = [normalizeLabel(name), normalizeLabel(typed)]
  const at = whole.search(new RegExp(String.raw`(?<![\p{L}\p{N}])${escapePattern(part)}`, 'u'))
  if (at < 0) return false
  return !/["'“”„«»‘’‹›「」]/u.test(`${whole[at - 1] ?? ''}${whole[at + part.length] ?? ''}`)
}

const escapePattern = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`)

/** What a touch on the node may have been meant for, smallest first: each box around it that is no page and takes a touch. */
function listUnits(node: UiNode, { nodes }: Screen): UiNode[] {
  const window = nodes[0]?.bounds
  if (window == null) return []
  const limit = (window.bottom - window.top) * MAX_UNIT_SHARE
  const units: UiNode[] = []
  for (let at: UiNode | null = node; at !== null; at = at.parent) {
    const { bounds } = at
    if (bounds === null || bounds.bottom - bounds.top > limit || isTrue(at, 'scrollable')) break
    if (takesTouch(at) && !isTextField(at)) units.push(at)
  }
  return units
}

const MAX_UNIT_SHARE = 0.4

/** The groups of the same list on earlier screens of the same kind: rows of this shape at the same place across. */
export function findPeerGroups(row: UiNode, screen: Screen, earlier: readonly Intent[]): RowGroup[] {
  if (listCells(row).length === 0) return []
  const screens = new Set(earlier.flatMap(({ before, after }) => [before, after]))
  const groups = new Set<RowGroup>()
  for (const other of screens) {
    if (other === undefined || other === screen || !isSameKind(other, screen)) continue
    for (const one of listRows(other)) {
      if (groups.has(one.group) || !isSameSpan(one.node, row) || !isDataRow(one)) continue
      if (areSimilar(one.node, row)) groups.add(one.group)
    }
  }
  return [...groups]
}

/**
 * Whether a node is in a list, or lies where the list was if that is gone. What is below or above a list is no row of
 * it, also while a keyboard makes the page smaller.
 */
function isWithin(node: UiNode, { holder, scroller }: RowGroup, screen: Screen): boolean {
  const list = scroller ?? holder
  const now = findNode(screen, list.path)
  if (now !== undefined && attribute(now, 'class') === attribute(list, 'class')) return isInside(node, now)
  const { bounds } = node
  const place = list.bounds
  return bounds !== null && place !== null && bounds.top >= place.top && bounds.bottom <= place.bottom
}

function isSameSpan({ bounds: one }: UiNode, { bounds: other }: UiNode): boolean {
  return one !== null && other !== null && one.left === other.left && one.right === other.right
}

function toLoneRow(node: UiNode): Row {
  const holder = node.parent ?? node
  return { node, group: { holder, members: [node], direction: 'down', scroller: findScroller(node) } }
}
