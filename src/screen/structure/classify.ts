import { type Bounds, union } from '../bounds.ts'
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
  /** Texts with words of a typical member. Descriptions of icons beside a text do not count. */
  readonly cells: number
  /** Letters and digits of the first text of a typical member. */
  readonly letters: number
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
  /** Things to touch in a typical member, the member itself included. */
  readonly touches: number
  readonly isAtBottom: boolean
  readonly isAtTop: boolean
  readonly isAtSide: boolean
  /** Whether the members fill the width of the window. */
  readonly spans: boolean
  readonly scrolls: boolean
}

const SAMPLE = 24

function readTraits({ members, scroller, holder }: RowGroup, tree: TreeIndex): Traits {
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
    letters: takeMiddle(cells.map(([first = '']) => countLetters(first))),
    height: takeMiddle(members.map((member) => measureHeight(readBounds(member)))) / Math.max(height, width),
    isNarrow:
      takeMiddle(members.map((member) => measureWidth(readBounds(member)))) <=
      (scroller === undefined ? width : measureWidth(readBounds(scroller))) * NARROW_SHARE,
    selected: inner.filter((nodes) => nodes.some((node) => isTrue(node, 'selected') || isTrue(node, 'checked'))).length,
    checkable: has((node) => isTrue(node, 'checkable')),
    radios: has((node) => /Radio/.test(readSimpleClass(node))),
    buttons: sample.every((member) => isButton(member)),
    fields: has((node) => findKind(node, true) === 'field'),
    touches: takeMiddle(sample.map((member) => tree.countTouches(member))),
    isAtBottom: place.top >= window.top + height * 0.8,
    isAtTop: place.bottom <= window.top + height * 0.3,
    isAtSide: place.left <= window.left + width * 0.02 && place.right <= window.left + width * 0.25,
    spans: measureWidth(place) >= width * 0.7,
    scrolls: scroller !== undefined && (scroller === holder || isTrue(scroller, 'scrollable') || isListClass(scroller)),
  }
}

function unite(members: readonly UiNode[]): Bounds {
  let place: Bounds | undefined
  for (const member of members) place = place === undefined ? readBounds(member) : union(place, readBounds(member))
  return place ?? { left: 0, top: 0, right: 0, bottom: 0 }
}

/** The texts with letters or digits; if there are any, descriptions beside them are those of icons. */
function listWordedCells(member: UiNode): string[] {
  const worded = listCells(member).filter(({ text }) => countLetters(text) > 0)
  const texts = worded.filter(({ node }) => attribute(node, 'text').trim() !== '')
  return (texts.length > 0 ? texts : worded).map(({ text }) => text)
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
  if (traits.radios && traits.touches <= 1) return true
  if (direction === 'down') return traits.selected === 1 && traits.cells <= 1 && !traits.checkable && !traits.scrolls
  if (traits.cells > 2 || traits.height > MAX_STRIP_HEIGHT || traits.touches > 1) return false
  if (traits.checkable || traits.selected > 0) return true
  if (traits.touches === 0 || traits.cells !== 1 || traits.letters === 0 || traits.buttons || members.length < 3)
    return false
  return direction === 'across' || (isSmall(traits) && !isKeyPad(members, traits))
}

const MAX_STRIP_HEIGHT = 0.12
const SMALL_HEIGHT = 0.065

/** Whether members are as high as buttons and chips are. */
function isSmall({ height }: Traits): boolean {
  return height <= SMALL_HEIGHT
}

/** Whether members are keys: one sign each, and no higher than keys are. */
function isKeyPad(members: readonly UiNode[], { letters, height }: Traits): boolean {
  return (letters === 1 && members.length >= 3 && height <= MAX_STRIP_HEIGHT) || (letters <= 2 && members.length >= 6)
}

function isFurniture({ direction, members }: RowGroup, traits: Traits): boolean {
  if (traits.cells === 0 || traits.fields) return true
  if (direction === 'down') {
    if (traits.cells >= 2) return traits.buttons && !traits.scrolls
    return traits.buttons || !traits.scrolls || (traits.isNarrow && members.length > 1)
  }
  if (isKeyPad(members, traits)) return true
  if (traits.cells >= 2 || traits.touches > 1) return false
  if (traits.buttons || (isSmall(traits) && traits.touches === 1)) return true
  return direction === 'across' && !traits.scrolls && traits.height <= MAX_STRIP_HEIGHT
}

const NARROW_SHARE = 0.35

function takeMiddle(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}

function countLetters(text: string): number {
  return text.match(/[\p{L}\p{Nd}]/gu)?.length ?? 0
}
