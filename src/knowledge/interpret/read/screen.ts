import { inferElementRole } from '../../../screen/tree/element-traits.ts'
import { isClockText } from '../../../screen/fingerprint.ts'
import { attribute, type Hierarchy, isTrue, type UiNode } from '../../../screen/tree/hierarchy.ts'
import { detectLoading } from '../../../screen/loading.ts'
import { collectOnScreenNodes, findWindow } from '../../../screen/matcher.ts'
import { isFloatingWindow } from '../../../screen/page-layout.ts'
import { readLabel } from '../../../screen/tree/roles.ts'
import { describeScreenKind, isSameScreenKind, type ScreenKind } from '../../../screen/structure/screen-kind.ts'
import { maskText } from '../../../screen/structure/mask-text.ts'
import { findStructure } from '../../../screen/row-around.ts'

/** A parsed screen with the properties that the interpreter reads often. */
export interface Screen {
  readonly tree: Hierarchy
  readonly activity: string | undefined
  readonly package: string
  /** All visible nodes, parents before children. */
  readonly nodes: readonly UiNode[]
  /** A window on top of a page: a dialog, a menu or a sheet. */
  readonly is_dialog: boolean
  readonly is_loading: boolean
  /** The node with its title. */
  readonly title: UiNode | undefined
  /** Equal for two readings with the same texts in the same states. */
  readonly state: string
  /** The texts with times, which `state` lacks: a clock goes on by itself. */
  readonly clocks: readonly string[]
}

export function parseScreen(tree: Hierarchy, activity: string | undefined): Screen {
  const nodes = collectOnScreenNodes(tree.roots, findWindow(tree))
  const [root] = tree.roots
  return {
    tree,
    activity,
    package: root === undefined ? '' : attribute(root, 'package'),
    nodes,
    is_dialog: isDialog(tree, nodes),
    is_loading: detectLoading(nodes) !== null,
    title: findTitle(nodes),
    state: JSON.stringify(nodes.map(describeState)),
    clocks: nodes.flatMap((node) => [attribute(node, 'text'), attribute(node, 'content-desc')].filter(isClockText)),
  }
}

/** Whether two screens have the same structure: two units of one app, two dialogs of one shape. */
export function isSameKind(one: Screen, other: Screen): boolean {
  if (one === other) return true
  if (one.package !== other.package || one.is_dialog !== other.is_dialog) return false
  const areKnown = one.activity !== undefined && other.activity !== undefined
  if (areKnown && one.activity !== other.activity) return false
  return isSameScreenKind(readKind(one), readKind(other))
}

const kinds = new WeakMap<Screen, ScreenKind>()

function readKind(screen: Screen): ScreenKind {
  const known = kinds.get(screen)
  if (known !== undefined) return known
  const kind = describeScreenKind(screen.nodes)
  kinds.set(screen, kind)
  return kind
}

/** Whether two screens show the same object. A difference between them is a change of that object. */
export function isSameView(one: Screen, other: Screen): boolean {
  return isSameKind(one, other) && maskText(readTitle(one)) === maskText(readTitle(other))
}

export function isSameState(one: Screen, other: Screen): boolean {
  if (one.package !== other.package || one.state !== other.state) return false
  return one.clocks.every((text, at) => text === other.clocks[at] || hasTicked(text, other.clocks[at] ?? ''))
}

/** Whether two texts are equal but for a time that went on a little. */
function hasTicked(before: string, after: string): boolean {
  if (before.replaceAll(TIME, '') !== after.replaceAll(TIME, '')) return false
  const [from, to] = [before, after].map((text) => text.match(TIME)?.map(countUnits) ?? [])
  return from?.every((units, at) => Math.abs(units - (to?.[at] ?? 0)) <= MAX_TICKS) === true
}

const TIME = /\d{1,2}(?::\d{2}){1,2}/g
const MAX_TICKS = 5

/** Minutes of a time of day, seconds of a timer. */
const countUnits = (time: string): number => time.split(':').reduce((units, part) => units * 60 + Number(part), 0)

export function readTitle({ title }: Screen): string {
  return title === undefined ? '' : readLabel(title).trim()
}

/** The node at a path, if it is visible. */
export function findNode({ nodes }: Screen, path: string | undefined): UiNode | undefined {
  return path === undefined ? undefined : nodes.find((node) => node.path === path)
}

export function isTextField(node: UiNode): boolean {
  return inferElementRole(attribute(node, 'class')) === 'text_field'
}

export function isSlider(node: UiNode): boolean {
  return inferElementRole(attribute(node, 'class')) === 'slider'
}

export function isInside(node: UiNode, holder: UiNode): boolean {
  for (let at: UiNode | null = node; at !== null; at = at.parent) {
    // The parts of a row without a box have another parent.
    if (at === holder || holder.children.includes(at)) return true
  }
  return false
}

/** From the parent upwards. */
export function listAncestors(node: UiNode): UiNode[] {
  const ancestors: UiNode[] = []
  for (let at = node.parent; at !== null; at = at.parent) ancestors.push(at)
  return ancestors
}

export function findScroller(node: UiNode): UiNode | undefined {
  return listAncestors(node).find((one) => isTrue(one, 'scrollable') || LISTS.test(readClass(one)))
}

const LISTS = /(?:RecyclerView|ListView|GridView)$/

function readClass(node: UiNode): string {
  return attribute(node, 'class')
}

/** A dialog, a menu or a sheet has a window of its own size, or the parts of a framework dialog. */
function isDialog({ roots }: Hierarchy, nodes: readonly UiNode[]): boolean {
  const [root] = roots
  if (root !== undefined && isFloatingWindow(root)) return true
  return nodes.some((node) => DIALOG_PARTS.test(attribute(node, 'resource-id')))
}

const DIALOG_PARTS = /(?:[:/]id\/)(?:parentPanel|alertTitle|buttonPanel)$/
const TITLES = /(?:^|[_/])(?:alertTitle|alert_title|action_bar_title|toolbar_title|title_bar)$/
const BARS = /(?:^|[_/])(?:toolbar|action_bar|app_bar|top_bar)$/

/** The label in the bar, else the first label at the top of the window outside the rows of a list. */
function findTitle(nodes: readonly UiNode[]): UiNode | undefined {
  const labels = nodes.filter(
    (node) => /\p{L}/u.test(readLabel(node)) && !isTrue(node, 'clickable') && !isTextField(node),
  )
  const window = nodes[0]?.bounds
  const limit = window == null ? 0 : window.top + (window.bottom - window.top) * TITLE_SHARE
  return (
    labels.find((node) => TITLES.test(attribute(node, 'resource-id'))) ??
    labels.find((node) => listAncestors(node).some(isBar)) ??
    labels.find(
      (node) => node.bounds !== null && node.bounds.bottom <= limit && !isInDataRow(node) && !isInControl(node, limit),
    )
  )
}

/** Whether a node is the picture or the words of a control: Compose puts them inside the node that takes the touch. */
function isInControl(node: UiNode, limit: number): boolean {
  return listAncestors(node).some(
    (one) => isTrue(one, 'clickable') && one.bounds !== null && one.bounds.bottom <= limit,
  )
}

/** The part of a window that may hold its title. */
const TITLE_SHARE = 0.25

function isInDataRow(node: UiNode): boolean {
  const structure = findStructure(node)
  const row = structure.findRow(node)
  return row !== undefined && structure.classify(row.group) === 'data'
}

export function isBar(node: UiNode): boolean {
  return BARS.test(attribute(node, 'resource-id')) || readClass(node).endsWith('Toolbar')
}

/** Without an id, the depth in the tree identifies a part. */
function describePart(node: UiNode): string {
  const id = attribute(node, 'resource-id')
  return id === '' ? `${node.depth} ${readClass(node)}` : `${id} ${readClass(node)}`
}

/** Focus and keyboard are not part of the state. */
function describeState(node: UiNode): unknown {
  const texts = [attribute(node, 'text'), attribute(node, 'content-desc')]
  return [
    describePart(node),
    ...texts.map((text) => (isClockText(text) ? '' : text)),
    STATES.filter((name) => isTrue(node, name)),
  ]
}

const STATES = ['checked', 'selected', 'enabled'] as const
