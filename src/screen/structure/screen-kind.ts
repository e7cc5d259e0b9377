import { type Bounds, hasArea, union } from '../tree/bounds.ts'
import { inferNodeRole } from '../tree/element-traits.ts'
import { type UiNode, attribute, isTrue } from '../tree/hierarchy.ts'
import { readLabel } from '../tree/roles.ts'
import { measureHeight, measureWidth } from './geometry.ts'
import { splitLines } from './label-parts.ts'
import { maskText } from './mask-text.ts'
import { findKind, isListClass, listShown, readBounds, takesTouch } from './node-kind.ts'
import { nameNode } from './node-name.ts'
import { type ScreenStructure, analyzeStructure } from './structure.ts'

/** What a page is, whatever its data. Depth of nodes does not count. */
export interface ScreenKind {
  readonly package: string
  /** Whether the window is smaller than the display: a dialog, a sheet, a menu. */
  readonly isFloating: boolean
  /** The masked text at the top of the page. Empty if there is none. */
  readonly title: string
  /** Masked words outside the rows of data and the navigation. */
  readonly words: ReadonlySet<string>
  /** Roles and masked names of what takes a touch there. */
  readonly controls: ReadonlySet<string>
  /** Kinds of nodes by place there. */
  readonly parts: ReadonlySet<string>
  /** Kinds of nodes in the rows of data, by shape of row. */
  readonly rows: ReadonlySet<string>
  /** Ids in the rows of data. */
  readonly rowIds: ReadonlySet<string>
}

export function describeScreenKind(visibleNodes: readonly UiNode[]): ScreenKind {
  const structure = analyzeStructure(visibleNodes)
  const rows = structure.rows.filter(({ group }) => structure.classify(group) === 'data').map(({ node }) => node)
  const inRows = new Set(rows.flatMap((row) => listShown(row)))
  const inNavigation = new Set(listNavigation(structure))
  const outside = visibleNodes.filter((node) => !inRows.has(node) && !inNavigation.has(node))
  const moving = findMoving(visibleNodes)
  const window = findFrame(visibleNodes)
  const [first] = visibleNodes
  return {
    package: first === undefined ? '' : attribute(first, 'package'),
    isFloating: window.left > 0 || window.top > window.bottom * FLOATING_TOP,
    title: findTitle(outside, moving, window),
    words: new Set(outside.flatMap((node) => listWords(node, moving.has(node)))),
    controls: new Set(
      outside
        .filter(takesTouch)
        .slice(0, MAX_CONTROLS)
        .map((node) => describeControl(node, visibleNodes)),
    ),
    parts: new Set(outside.flatMap((node) => describePart(node, window))),
    rows: new Set(rows.map((row) => describeRow(row))),
    rowIds: new Set([...inRows].flatMap((node) => attribute(node, 'resource-id') || [])),
  }
}

/**
 * Whether two screens show the same kind of page. The shares of what they have in common are added up with fixed
 * weights; what neither screen has counts as little evidence for either answer.
 */
export function isSameScreenKind(a: ScreenKind, b: ScreenKind): boolean {
  if (a.package !== b.package) return false
  const score =
    2 * shareOfAll(a.words, b.words, 0.3) +
    3.2 * shareOfSmaller(a.words, b.words) +
    2.2 * shareOfAll(a.controls, b.controls, 0.3) +
    0.6 * shareOfSmaller(a.controls, b.controls) +
    2.1 * shareOfAll(a.parts, b.parts, 0.3) +
    2.1 * compareTitles(a.title, b.title) +
    1.4 * shareOfAll(a.rows, b.rows, 0.3) +
    0.8 * (Math.min(a.rowIds.size, b.rowIds.size) < 2 ? 0.3 : shareOfAll(a.rowIds, b.rowIds, 0.3)) +
    (a.isFloating === b.isFloating ? 0.7 : 0)
  return score >= SAME_KIND
}

const SAME_KIND = 5.8
const FLOATING_TOP = 0.1
const MAX_CONTROLS = 300

/** Common members / all members. `unknown` if there is none at all. */
function shareOfAll(a: ReadonlySet<string>, b: ReadonlySet<string>, unknown: number): number {
  const common = countCommon(a, b)
  const all = a.size + b.size - common
  return all === 0 ? unknown : common / all
}

/** The share of the smaller set that the larger one has, so that a scrolled page resembles itself. */
function shareOfSmaller(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const smaller = Math.min(a.size, b.size)
  return smaller === 0 ? 0.5 : countCommon(a, b) / (smaller + 1)
}

function countCommon(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let common = 0
  for (const one of a) if (b.has(one)) common += 1
  return common
}

function compareTitles(a: string, b: string): number {
  if (a === '' || b === '') return 0
  return a === b ? 1 : -1
}

function listNavigation(structure: ScreenStructure): UiNode[] {
  return structure.groups
    .filter((group) => structure.classify(group) === 'navigation')
    .flatMap(({ members }) => members.flatMap((member) => listShown(member)))
}

/** The nodes that move when a list or a page is scrolled. */
function findMoving(nodes: readonly UiNode[]): Set<UiNode> {
  const moving = new Set<UiNode>()
  for (const node of nodes) {
    const isMoving =
      isTrue(node, 'scrollable') || isListClass(node) || (node.parent !== null && moving.has(node.parent))
    if (isMoving) moving.add(node)
  }
  return moving
}

function findFrame(nodes: readonly UiNode[]): Bounds {
  let window: Bounds | undefined
  for (const node of nodes) {
    const place = readBounds(node)
    if (hasArea(place)) window = window === undefined ? place : union(window, place)
  }
  return window ?? { left: 0, top: 0, right: 1, bottom: 1 }
}

/** The tallest text at the top that does not move: the line with the largest letters. */
function findTitle(nodes: readonly UiNode[], moving: ReadonlySet<UiNode>, window: Bounds): string {
  let title: UiNode | undefined
  for (const node of nodes) {
    if (moving.has(node) || node.children.length > 0 || takesTouch(node) || findKind(node, true) !== 'text') continue
    const place = readBounds(node)
    if (place.bottom > window.bottom * TITLE_ZONE || !/\p{L}{2}/u.test(readLabel(node))) continue
    if (title === undefined || measureHeight(place) > measureHeight(readBounds(title))) title = node
  }
  return title === undefined ? '' : maskText(readLabel(title))
}

const TITLE_ZONE = 0.16

/** Long texts that move are content. */
function listWords(node: UiNode, isMoving: boolean): string[] {
  if (findKind(node, true) === 'field') return []
  return splitLines(readLabel(node))
    .map(({ text }) => maskText(text).toLowerCase())
    .filter((text) => /\p{L}/u.test(text) && (!isMoving || text.length <= MAX_WORDS_LENGTH))
}

const MAX_WORDS_LENGTH = 40

function describeControl(node: UiNode, visibleNodes: readonly UiNode[]): string {
  return `${inferNodeRole(node)}:${maskText(nameNode(node, visibleNodes)).toLowerCase()}`
}

function describePart(node: UiNode, window: Bounds): string[] {
  const kind = findKind(node, node.children.length === 0)
  const touch = takesTouch(node)
  if (kind === 'box' && !touch) return []
  const { left, top, right, bottom } = readBounds(node)
  const x = Math.floor((((left + right) / 2 - window.left) / measureWidth(window)) * 6)
  const y = Math.floor((((top + bottom) / 2 - window.top) / measureHeight(window)) * 10)
  return [`${kind}${touch ? '!' : ''}@${x},${y}`]
}

function describeRow(row: UiNode): string {
  const counts = new Map<string, number>()
  for (const node of listShown(row)) {
    const kind = findKind(node, node.children.length === 0)
    if (kind !== 'box') counts.set(kind, Math.min(3, (counts.get(kind) ?? 0) + 1))
  }
  return [...counts]
    .map(([kind, count]) => `${kind}${count}`)
    .toSorted()
    .join()
}
