import { type UiNode, isTrue } from '../tree/hierarchy.ts'
import { area } from '../tree/bounds.ts'
import { classifyGroup } from './classify.ts'
import { measureWidth } from './geometry.ts'
import { findFlatRows } from './flat-rows.ts'
import { findGroups } from './groups.ts'
import { readBounds, takesTouch } from './node-kind.ts'
import type { GroupClass, Row, RowGroup } from './row-group.ts'
import { TreeIndex } from './tree-index.ts'

export type { GroupClass, Row, RowGroup } from './row-group.ts'

export interface ScreenStructure {
  readonly groups: readonly RowGroup[]
  /**
   * The row a person would name: the largest repeated unit around the node that has one main action; nested repetition
   * resolves to it.
   */
  findRow(node: UiNode): Row | undefined
  /** All rows of all groups. */
  readonly rows: readonly Row[]
  classify(group: RowGroup): GroupClass
}

/** Finds what repeats on a screen, from the visible nodes in tree order. */
export function analyzeStructure(visibleNodes: readonly UiNode[]): ScreenStructure {
  const tree = new TreeIndex(visibleNodes)
  const flat = visibleNodes.flatMap((node) => findFlatRows(node, tree) ?? [])
  const boxed = new Set(flat.flatMap(({ members }) => members.flatMap((member) => member.children)))
  // What repeats from row to row is a column, not a list.
  const repeated = visibleNodes
    .flatMap((node) => findGroups(node, tree))
    .filter(({ members }) => !members.every((member) => boxed.has(member)))
  const groups = [...repeated, ...findLoneRows(repeated, tree), ...flat]
  const units = findUnits(groups, tree)
  for (const group of flat) {
    for (const node of group.members) for (const one of [node, ...node.children]) units.set(one, { node, group })
  }
  const findRow = (node: UiNode): Row | undefined => {
    let found: Row | undefined
    for (let at: UiNode | null = node; at !== null; at = at.parent) found = units.get(at) ?? found
    return found
  }
  const classes = new Map<RowGroup, GroupClass>()
  const rows = [...units].filter(([node, row]) => row.node === node && findRow(node) === row).map(([, row]) => row)
  return {
    groups,
    findRow,
    rows,
    classify: (group) => {
      const known = classes.get(group)
      if (known !== undefined) return known
      const found = classifyGroup(group, tree)
      classes.set(group, found)
      return found
    },
  }
}

/** Nodes that have the same shape as the rows of a list elsewhere on the screen: a list with one entry. */
function findLoneRows(groups: readonly RowGroup[], tree: TreeIndex): RowGroup[] {
  const members = new Set(groups.flatMap((group) => group.members))
  const shapes = new Set<number>()
  for (const member of members) {
    const shape = tree.findShape(member)
    if (shape !== null && shape.touch && tree.countLabels(member) >= 2) shapes.add(shape.id)
  }
  return tree.nodes.flatMap((node) => {
    const shape = tree.findShape(node)
    const holder = node.parent
    if (holder === null || shape?.node !== node || members.has(node) || !shapes.has(shape.id)) return []
    if (isBelowMember(node, members)) return []
    return [{ holder, members: [node], direction: 'down' as const, scroller: tree.findScroller(holder) }]
  })
}

function isBelowMember(node: UiNode, members: ReadonlySet<UiNode>): boolean {
  for (let at = node.parent; at !== null; at = at.parent) if (members.has(at)) return true
  return false
}

/** The members that a person would name as one thing. */
function findUnits(groups: readonly RowGroup[], tree: TreeIndex): Map<UiNode, Row> {
  const repeating = markRepeating(groups, tree)
  const units = new Map<UiNode, Row>()
  for (const group of groups) {
    const own = group.members.filter((node) => hasMainAction(node, tree) || !repeating.has(node))
    // One unit beside members that are lists themselves repeats nothing.
    if (own.length === 1 && group.members.length > 1) continue
    for (const node of own) units.set(node, { node, group })
  }
  return units
}

/** The nodes that contain a group whose members are rows of their own: a strip that scrolls, or wide touchable members. */
function markRepeating(groups: readonly RowGroup[], tree: TreeIndex): Set<UiNode> {
  const repeating = new Set<UiNode>()
  for (const group of groups) {
    if (!standsAlone(group, tree)) continue
    for (let at: UiNode | null = group.holder; at !== null && !repeating.has(at); at = at.parent) repeating.add(at)
  }
  return repeating
}

function standsAlone({ holder, members, direction, scroller }: RowGroup, tree: TreeIndex): boolean {
  if (members.filter((member) => tree.countTouches(member) > 0).length < members.length / 2) return false
  if (scroller === holder || members.every((member) => isOption(member, tree))) return members.length >= 2
  if (fillsHolder(holder, members)) return true
  if (direction === 'grid') return members.length >= 4
  if (direction === 'across') return members.length >= 3 && members.every((member) => tree.countLabels(member) >= 2)
  const width = measureWidth(readBounds(holder))
  return members.length >= 2 && members.every((member) => measureWidth(readBounds(member)) >= width * WIDE_SHARE)
}

const WIDE_SHARE = 0.8

/** Whether two or more members make up most of their holder: it is a line of cells. */
function fillsHolder(holder: UiNode, members: readonly UiNode[]): boolean {
  const covered = members.reduce((total, member) => total + area(readBounds(member)), 0)
  return members.length >= 2 && covered >= area(readBounds(holder)) * COVER_SHARE
}

/** Whether a member is one of several options: it can be checked or it is the chosen one. */
function isOption(member: UiNode, tree: TreeIndex): boolean {
  const node = tree.findShape(member)?.node ?? member
  return isTrue(node, 'checkable') && tree.countTouches(member) === 1
}

/** Whether one node that takes a touch covers most of the member. */
function hasMainAction(node: UiNode, tree: TreeIndex): boolean {
  const whole = area(readBounds(node))
  for (let at: UiNode | undefined = node; at !== undefined;) {
    if (takesTouch(at)) return area(readBounds(at)) >= whole * COVER_SHARE
    const touching: readonly UiNode[] = tree.listChildren(at).filter((child) => tree.countTouches(child) > 0)
    at = touching.length === 1 ? touching[0] : touching.find((child) => area(readBounds(child)) >= whole * COVER_SHARE)
  }
  return false
}

const COVER_SHARE = 0.6
