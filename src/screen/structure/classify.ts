import { type UiNode, attribute, isTrue } from '../tree/hierarchy.ts'
import { readLabel } from '../tree/roles.ts'
import { type GroupTraits, readTraits } from './group-traits.ts'
import type { GroupClass, RowGroup } from './row-group.ts'
import type { TreeIndex } from './tree-index.ts'

/** Tells what a group is by its place, its size, its selection, its cells and the classes around it. */
export function classifyGroup(group: RowGroup, tree: TreeIndex): GroupClass {
  const traits = readTraits(group, tree)
  if (isNavigation(group, traits)) return 'navigation'
  if (isChoice(group, traits)) return 'choice'
  return isFurniture(group, traits) ? 'furniture' : 'data'
}

function isNavigation(group: RowGroup, traits: GroupTraits): boolean {
  const { direction, members, holder, scroller } = group
  if (hasNavigationHint(holder) || countsItself(members)) return true
  if (members.length < 2 || members.length > 7) return false
  if (direction === 'across' && !traits.fields && traits.height <= 0.15 && traits.cells <= 3) {
    const movable = traits.scrolls && isTrue(scroller ?? holder, 'scrollable')
    const isBar = traits.isAtBottom && traits.spans && !movable && !traits.measures && !traits.isBesideField
    return isBar ? members.length >= 3 || traits.selected === 1 : isTabRow(traits)
  }
  return direction === 'down' && traits.isAtSide && traits.cells <= 1 && members.length >= 3
}

function isTabRow({ isAtTop, spans, selected, checkable, cells }: GroupTraits): boolean {
  return isAtTop && spans && selected === 1 && !checkable && cells <= 2
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
  const isCounted = (member: UiNode, at: number) => {
    const numbers = (readLabel(member).split('\n').at(-1) ?? '').match(/\p{Nd}+/gu)?.map(Number) ?? []
    return numbers.length === 2 && numbers[0] === at + 1 && (numbers[1] ?? 0) >= members.length
  }
  return members.every(isCounted) || members.toReversed().every(isCounted)
}

function isChoice({ direction, members }: RowGroup, traits: GroupTraits): boolean {
  if (members.length < 2) return false
  if (traits.radios && traits.touches <= 1) return true
  if (direction === 'down') return traits.selected === 1 && traits.cells <= 1 && !traits.checkable && !traits.scrolls
  if (traits.cells > 2 || traits.height > MAX_STRIP_HEIGHT || traits.touches > 1) return false
  if (traits.checkable || traits.selected > 0) return true
  if (traits.touches === 0 || traits.cells !== 1 || traits.buttons || traits.icons || members.length < 3) return false
  return direction === 'across' || (isSmall(traits) && !isKeyPad(members, traits))
}

const MAX_STRIP_HEIGHT = 0.12
const SMALL_HEIGHT = 0.065

/** Whether members are as high as buttons and chips are. */
function isSmall({ height }: GroupTraits): boolean {
  return height <= SMALL_HEIGHT
}

/** Whether members are keys: one sign each, perhaps with a few letters, and no higher than keys are. */
function isKeyPad(members: readonly UiNode[], { letters, longest, height }: GroupTraits): boolean {
  if (letters === 1 && longest <= 4 && members.length >= 3) return height <= MAX_STRIP_HEIGHT
  return longest <= 2 && members.length >= 6
}

function isFurniture({ direction, members }: RowGroup, traits: GroupTraits): boolean {
  if (traits.cells === 0 || traits.fields) return true
  if (direction === 'down') {
    if (traits.headsRecords && !traits.buttons && !traits.checkable) return false
    if (traits.cells >= 2) return traits.buttons && !traits.scrolls
    return traits.buttons || !traits.scrolls || (traits.isNarrow && members.length > 1)
  }
  if (isKeyPad(members, traits)) return true
  if (traits.cells >= 2 || traits.touches > 1) return false
  if (traits.buttons || (isSmall(traits) && traits.touches === 1)) return true
  return traits.height <= MAX_STRIP_HEIGHT && (traits.icons || (direction === 'across' && !traits.scrolls))
}
