import { type UiNode, attribute, isTrue } from '../tree/hierarchy.ts'
import { area } from '../tree/bounds.ts'
import { readLabel } from '../tree/roles.ts'
import { type Cell, listCells } from './cells.ts'
import { measureHeight, measureWidth, unite } from './geometry.ts'
import { isMeasure } from './mask-text.ts'
import { findKind, isListClass, listShown, readBounds, readSimpleClass, takesTouch } from './node-kind.ts'
import type { RowGroup } from './row-group.ts'
import type { TreeIndex } from './tree-index.ts'

/** What can be seen of a group without knowing its app. */
export interface GroupTraits {
  /** Texts with words of a typical member. Descriptions of icons beside a text do not count. */
  readonly cells: number
  /** Letters and digits of the first and of the longest text of a typical member. */
  readonly letters: number
  readonly longest: number
  /** Whether the texts are numbers: times, prices, counters. */
  readonly measures: boolean
  /** Whether typical members are icons: their words are descriptions of pictures. */
  readonly icons: boolean
  /** Height of a typical member, as a share of the longer side of the window. */
  readonly height: number
  /** Whether typical members are much narrower than what scrolls them or the window. */
  readonly isNarrow: boolean
  /** Number of members that are selected or checked, themselves or inside. */
  readonly selected: number
  readonly checkable: boolean
  readonly radios: boolean
  readonly buttons: boolean
  readonly fields: boolean
  /** Whether a text field stands among the members. */
  readonly isBesideField: boolean
  /** Things to touch in a typical member, the member itself included. */
  readonly touches: number
  readonly isAtBottom: boolean
  readonly isAtTop: boolean
  readonly isAtSide: boolean
  /** Whether the members fill the width of the window. */
  readonly spans: boolean
  readonly scrolls: boolean
  /** Whether each member is followed by the same number of texts, as the title of a record that has no box of its own. */
  readonly headsRecords: boolean
}

const SAMPLE = 24

export function readTraits({ members, scroller, holder }: RowGroup, tree: TreeIndex): GroupTraits {
  const { window } = tree
  const sample = members.slice(0, SAMPLE)
  const inner = sample.map((member) => listShown(member))
  const cells = sample.map((member) => listWordedCells(member))
  const height = measureHeight(window)
  const width = measureWidth(window)
  const place = unite(members)
  const has = (test: (node: UiNode) => boolean) => inner.every((nodes) => nodes.some(test))
  return {
    cells: takeMiddle(cells.map((one) => one.length)),
    letters: takeMiddle(cells.map(([first]) => countLetters(first?.text ?? ''))),
    longest: takeMiddle(cells.map((one) => Math.max(0, ...one.map(({ text }) => countLetters(text))))),
    measures: cells.every((one) => one.every(({ text }) => isMeasure(text))),
    icons: cells.filter(isIcon).length * 2 > sample.length,
    height: takeMiddle(members.map((member) => measureHeight(readBounds(member)))) / Math.max(height, width),
    isNarrow:
      takeMiddle(members.map((member) => measureWidth(readBounds(member)))) <=
      (scroller === undefined ? width : measureWidth(readBounds(scroller))) * NARROW_SHARE,
    selected: inner.filter((nodes) => nodes.some((node) => isTrue(node, 'selected') || isTrue(node, 'checked'))).length,
    checkable: has((node) => isTrue(node, 'checkable')),
    radios: has((node) => /Radio/.test(readSimpleClass(node))),
    buttons: sample.every((member) => isButton(member)),
    fields: has((node) => findKind(node, true) === 'field'),
    isBesideField: tree.listChildren(holder).some((child) => findKind(child, true) === 'field'),
    touches: takeMiddle(sample.map((member) => tree.countTouches(member))),
    isAtBottom: place.top >= window.top + height * 0.8,
    isAtTop: place.bottom <= window.top + height * 0.3,
    isAtSide: place.left <= window.left + width * 0.02 && place.right <= window.left + width * 0.25,
    spans: measureWidth(place) >= width * 0.7,
    scrolls: scroller !== undefined && (scroller === holder || isTrue(scroller, 'scrollable') || isListClass(scroller)),
    headsRecords: headsRecords(members, tree.listChildren(holder)),
  }
}

/** Web pages put the title and the other lines of a record side by side in one box. */
function headsRecords(members: readonly UiNode[], siblings: readonly UiNode[]): boolean {
  const gaps = members.slice(0, -1).map((member, at) => {
    const [from, to] = [siblings.indexOf(member), siblings.indexOf(members[at + 1] ?? member)]
    return from < 0 || to < 0 ? [] : siblings.slice(from + 1, to)
  })
  const [first] = gaps
  if (first === undefined || first.length === 0 || gaps.some(({ length }) => length !== first.length)) return false
  return gaps.flat().every((node) => readLabel(node) !== '' && !takesTouch(node) && findKind(node, true) !== 'field')
}

/** The texts with letters or digits; if there are any, descriptions beside them are those of icons. */
function listWordedCells(member: UiNode): Cell[] {
  const worded = listCells(member).filter(({ text }) => countLetters(text) > 0)
  const texts = worded.filter(({ node }) => attribute(node, 'text').trim() !== '')
  return texts.length > 0 ? texts : worded
}

/** Whether the words of a member describe a picture: they are no text, and not those of what takes the touch. */
function isIcon(cells: readonly Cell[]): boolean {
  return cells.every(({ node }) => {
    if (attribute(node, 'text').trim() !== '') return false
    return !takesTouch(node) || findKind(node, true) === 'image' || /ImageButton/.test(readSimpleClass(node))
  })
}

function isButton(node: UiNode): boolean {
  const kind = findKind(node, node.children.length === 0)
  return (
    kind === 'button' || (node.children.length > 0 && listShown(node).some((one) => isMarker(one) && marks(one, node)))
  )
}

/** Whether a marker stands for the member itself, and not for a smaller control inside it. */
function marks(marker: UiNode, member: UiNode): boolean {
  for (let at = marker.parent; at !== null && at !== member; at = at.parent) {
    if (takesTouch(at) && area(readBounds(at)) < area(readBounds(member)) * MAIN_SHARE) return false
  }
  return marker !== member
}

const MAIN_SHARE = 0.6

/** Compose marks a button by an empty leaf of class Button inside it. */
function isMarker(node: UiNode): boolean {
  return findKind(node, true) === 'button' && node.children.length === 0 && readLabel(node) === ''
}

const NARROW_SHARE = 0.35

function takeMiddle(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}

function countLetters(text: string): number {
  return text.match(/[\p{L}\p{Nd}]/gu)?.length ?? 0
}
