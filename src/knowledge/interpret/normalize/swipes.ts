import { findNodeAt } from '../../../screen/hit-test.ts'
import { attribute, isTrue, subtree, type UiNode } from '../../../screen/tree/hierarchy.ts'
import type { RowGroup } from '../../../screen/structure/structure.ts'
import type { Intent } from '../read/intent.ts'
import type { NormalizedTrace } from '../read/normalized-trace.ts'
import { readText } from '../read/node-text.ts'
import { findIdentity, findRowAround, findRowByText, listRows, type Row } from '../read/rows.ts'
import { findScroller, isInside, isSameKind, isSameState, isTextField, type Screen } from '../read/screen.ts'

/** A gesture with its screens, where it started and how far the finger moved. */
interface Stroke {
  readonly before: Screen
  readonly after: Screen
  readonly node: UiNode
  readonly row: Row | undefined
  readonly end: UiNode | undefined
  readonly dx: number
  readonly dy: number
}

/** Reads swipes across an entry, drags of an entry to another place, and pulls at a list. All other swipes scroll. */
export function readSwipes(trace: NormalizedTrace): NormalizedTrace {
  return { ...trace, intents: trace.intents.map(readSwipe) }
}

function readSwipe(intent: Intent): Intent {
  const stroke = readStroke(intent)
  if (stroke === undefined) return intent
  return { ...intent, ...(readDrag(stroke) ?? readEntrySwipe(stroke) ?? readPull(stroke)) }
}

function readStroke({ kind, before, after, point, travel, pinned }: Intent): Stroke | undefined {
  if (kind !== 'scroll' || pinned === true || before === undefined || after === undefined) return undefined
  if (point === undefined || travel === undefined || isSameState(before, after)) return undefined
  const node = findNodeAt(before.tree, point)
  const end = findNodeAt(before.tree, { x: point.x + travel.dx, y: point.y + travel.dy })
  return node === undefined ? undefined : { before, after, node, row: findRowAround(node), end, ...travel }
}

type Read = Pick<Intent, 'kind' | 'node' | 'swipe' | 'move'>

/** An entry is at another place of its list, and all others are in their old order. */
function readDrag({ before, after, node, row, end }: Stroke): Read | undefined {
  const goal = end && findRowAround(end)
  const name = row && readName(row)
  if (row === undefined || goal === undefined || name === undefined) return undefined
  if (goal.node === row.node || goal.group !== row.group) return undefined
  const [old, now] = [listNames(before, row), listNames(after, row)]
  const others = (names: readonly string[]) => names.filter((one) => one !== name)
  if (old.length - others(old).length !== 1 || now.length - others(now).length !== 1) return undefined
  if (old.indexOf(name) === now.indexOf(name) || !hasSameOrder(others(old), others(now))) return undefined
  const place = goal.group.members.indexOf(goal.node)
  const position = place === 0 ? 'first' : place === goal.group.members.length - 1 ? 'last' : undefined
  return { kind: 'move', node, move: { goal, ...(position !== undefined && { position }) } }
}

/** An entry was swiped sideways and is gone or looks different, while all others are still there. */
function readEntrySwipe({ before, after, row, dx, dy }: Stroke): Read | undefined {
  const name = row && readName(row)
  if (row === undefined || name === undefined || Math.abs(dx) <= Math.abs(dy)) return undefined
  const width = row.node.bounds === null ? 0 : row.node.bounds.right - row.node.bounds.left
  const isPage = row.group.direction === 'across' || (row.group.scroller !== undefined && isPager(row.group.scroller))
  if (width === 0 || isPage) return undefined
  const others = listNames(before, row).filter((one) => one !== name)
  if (!after.is_dialog) {
    const now = listNames(after, row)
    if (!isSameKind(before, after) || !others.every((one) => now.includes(one))) return undefined
    const same = findRowByText(name, after)
    if (same !== undefined && describeRow(same) === describeRow(row)) return undefined
  }
  const distance_ratio = clampRatio(Math.abs(dx) / width)
  return { kind: 'swipe', node: row.node, swipe: { direction: dx < 0 ? 'left' : 'right', distance_ratio } }
}

/** A list that was pulled down did not scroll, but shows something else. */
function readPull({ before, after, node, dx, dy }: Stroke): Read | undefined {
  const list = findScroller(node)
  if (dy <= Math.abs(dx) || list?.bounds == null || !isSameKind(before, after)) return undefined
  if (/Picker/u.test(attribute(list, 'class')) || [...subtree(list)].some(isTextField)) return undefined
  const [first] = listRows(before).filter((row) => isInside(row.node, list))
  const name = first && readName(first)
  const now = name === undefined ? undefined : findRowByText(name, after)
  if (first === undefined || now === undefined) return undefined
  const isAtTop = listNames(before, first)[0] === name && first.node.bounds?.top === now.node.bounds?.top
  const [old, shown] = [before, after].map((screen) => listNames(screen, first))
  if (!isAtTop || hasSameOrder(old ?? [], shown ?? [])) return undefined
  const distance_ratio = clampRatio(dy / (list.bounds.bottom - list.bounds.top))
  return { kind: 'swipe', node: list, swipe: { direction: 'down', distance_ratio } }
}

const clampRatio = (ratio: number): number => Math.round(Math.min(0.85, Math.max(0.2, ratio)) * 100) / 100

const isPager = (node: UiNode): boolean => /Pager/u.test(attribute(node, 'class'))

const readName = (row: Row): string | undefined => findIdentity(row)?.text

/** The names of the entries in the list of a row, also on another reading of the screen. */
const listNames = (screen: Screen, { group }: Row): string[] =>
  listRows(screen)
    .filter((row) => isSameList(row.group, group))
    .flatMap((row) => readName(row) ?? [])

const isSameList = (one: RowGroup, other: RowGroup): boolean =>
  one.direction === other.direction && one.holder.path === other.holder.path && isSamePart(one.holder, other.holder)

const isSamePart = (one: UiNode, other: UiNode): boolean =>
  attribute(one, 'class') === attribute(other, 'class') &&
  attribute(one, 'resource-id') === attribute(other, 'resource-id')

const hasSameOrder = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((text, at) => text === other[at])

/** Texts, states and places inside a row. */
const describeRow = ({ node }: Row): string =>
  JSON.stringify(
    [...subtree(node)].map((one) => [
      readText(one),
      STATES.filter((name) => isTrue(one, name)),
      one.bounds && [one.bounds.left, one.bounds.right, one.bounds.top - (node.bounds?.top ?? 0)],
    ]),
  )

const STATES = ['checked', 'selected', 'enabled'] as const
