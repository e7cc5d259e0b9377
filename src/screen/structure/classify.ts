import { type UiNode, attribute, isTrue } from '../hierarchy.ts'
import { readLabel } from '../roles.ts'
import { listCells } from './cells.ts'
import { measureHeight, measureWidth } from './geometry.ts'
import { findKind, isListClass, listShown, readBounds, readSimpleClass } from './node-kind.ts'
import type { GroupClass, RowGroup } from './row-group.ts'
import type { TreeIndex } from './tree-index.ts'

/** Tells what a group is by its place, its size, its selection, its cells and the classes around it. */
export function classifyGroup(group: RowGroup, tree: TreeIndex): GroupClass {
  const traits = readTraits(group, tree)
  if (isNavigation(group, traits)) return 'navigation'
  if (isChoice(group, traits)) return 'choice'
  return isFurniture(group, traits) ? 'furniture' : 'data'
}

interface Traits {
  /** Texts of a typical member. */
  readonly cells: number
  /** Letters of the longest text of a typical member. */
  readonly letters: number
  /** Height and width of a typical member, as a share of the window. */
  readonly height: number
  readonly width: number
  /** Number of members that are selected or checked, themselves or inside. */
  readonly selected: number
  readonly checkable: boolean
  readonly radios: boolean
  readonly buttons: boolean
  readonly fields: boolean
  readonly isAtBottom: boolean
  readonly isAtTop: boolean
  readonly isAtSide: boolean
  /** Whether the members fill the width of the window. */
  readonly spans: boolean
  readonly scrolls: boolean
}

const SAMPLE = 24

function readTraits({ members, scroller, holder }: RowGroup, { window }: TreeIndex): Traits {
  const sample = members.slice(0, SAMPLE)
  const inner = sample.map((member) => listShown(member))
  const cells = sample.map((member) => listCells(member))
  const height = measureHeight(window)
  const width = measureWidth(window)
  const places = members.map(readBounds)
  const left = Math.min(...places.map((place) => place.left))
  const right = Math.max(...places.map((place) => place.right))
  const top = Math.min(...places.map((place) => place.top))
  const bottom = Math.max(...places.map((place) => place.bottom))
  return {
    cells: takeMiddle(cells.map((one) => one.length)),
    letters: takeMiddle(cells.map((one) => Math.max(0, ...one.map(({ text }) => countLetters(text))))),
    height: takeMiddle(places.map(measureHeight)) / height,
    width: takeMiddle(places.map(measureWidth)) / width,
    selected: inner.filter((nodes) => nodes.some((node) => isTrue(node, 'selected') || isTrue(node, 'checked'))).length,
    checkable: inner.every((nodes) => nodes.some((node) => isTrue(node, 'checkable'))),
    radios: inner.every((nodes) => nodes.some((node) => /Radio/.test(readSimpleClass(node)))),
    buttons: sample.every((member) => isButton(member)),
    fields: inner.every((nodes) => nodes.some((node) => findKind(node, true) === 'field')),
    isAtBottom: top >= window.top + height * 0.8,
    isAtTop: bottom <= window.top + height * 0.3,
    isAtSide: left <= window.left + width * 0.02 && right <= window.left + width * 0.25,
    spans: right - left >= width * 0.7,
    scrolls: scroller !== undefined && (scroller === holder || isTrue(scroller, 'scrollable') || isListClass(scroller)),
  }
}

function isButton(node: UiNode): boolean {
  const kind = findKind(node, node.children.length === 0)
  return kind === 'button' || (node.children.length > 0 && listShown(node).some((one) => one !== node && isMarker(one)))
}

/** Compose marks a button by an empty leaf of class Button inside it. */
function isMarker(node: UiNode): boolean {
  return findKind(node, true) === 'button' && node.children.length === 0 && readLabel(node) === ''
}

function isNavigation(group: RowGroup, traits: Traits): boolean {
  const { direction, members, holder, scroller } = group
  if (hasNavigationHint(holder) || countsItself(members)) return true
  if (members.length < 2 || members.length > 7) return false
  if (direction === 'across' && !traits.fields && traits.height <= 0.15 && traits.cells <= 3) {
    const movable = traits.scrolls && isTrue(scroller ?? holder, 'scrollable')
    if (traits.isAtBottom && traits.spans && !movable) return members.length >= 3 || traits.selected === 1
    return traits.isAtTop && traits.spans && traits.selected === 1 && !traits.checkable && traits.cells <= 2
  }
  return direction === 'down' && traits.isAtSide && traits.cells <= 1 && members.length >= 3
}

const NAVIGATION_HINT = /TabLayout|TabBar|TabWidget|BottomNavigation|NavigationBar|NavigationRail|NavigationMenu/i
const NAVIGATION_ID =
  /(?:^|_)(?:tabs?|tab_?(?:bar|layout|strip)|bottom_?(?:nav|navigation|bar)\w*|nav(?:igation)?_?(?:bar|rail|view|menu))$/i

function hasNavigationHint(holder: UiNode): boolean {
  for (let at: UiNode | null = holder, level = 0; at !== null && level < 3; at = at.parent, level += 1) {
    if (NAVIGATION_HINT.test(attribute(at, 'class'))) return true
    const id = attribute(at, 'resource-id')
    if (NAVIGATION_ID.test(id.slice(id.lastIndexOf('/') + 1))) return true
    if (at.parent !== null && at.parent.children.length > 1 && level > 0) return false
  }
  return false
}

/** Whether each label ends with its place and the number of members, as in "Tab 1 of 3", in any language. */
function countsItself(members: readonly UiNode[]): boolean {
  if (members.length < 2) return false
  return members.every((member, at) => {
    const numbers = (readLabel(member).split('\n').at(-1) ?? '').match(/\p{Nd}+/gu)?.map(Number) ?? []
    return numbers.length === 2 && numbers[0] === at + 1 && (numbers[1] ?? 0) >= members.length
  })
}

function isChoice({ direction, members }: RowGroup, traits: Traits): boolean {
  if (members.length < 2) return false
  if (traits.radios) return true
  if (direction === 'down') return traits.selected === 1 && traits.cells <= 1 && !traits.checkable && !traits.scrolls
  if (traits.cells > 2 || traits.height > 0.12) return false
  if (traits.checkable || traits.selected === 1) return true
  return direction === 'across' && members.length >= 3 && traits.cells === 1 && traits.letters >= 1 && !traits.buttons
}

function isFurniture({ direction, members }: RowGroup, traits: Traits): boolean {
  if (traits.cells === 0 || traits.fields) return true
  if (direction === 'down') {
    if (traits.cells >= 2) return traits.buttons && !traits.scrolls
    return traits.buttons || !traits.scrolls
  }
  if (traits.buttons && traits.cells <= 1) return true
  if (traits.cells >= 2) return false
  if (direction === 'grid') return traits.letters <= 2 && members.length >= 6
  return !traits.scrolls && traits.height <= 0.12
}

function takeMiddle(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}

function countLetters(text: string): number {
  return text.match(/[\p{L}\p{Nd}]/gu)?.length ?? 0
}
