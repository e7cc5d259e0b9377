import { elementRole } from '../../../screen/element-traits.ts'
import { isClockText } from '../../../screen/fingerprint.ts'
import { attribute, type Hierarchy, isTrue, type UiNode } from '../../../screen/hierarchy.ts'
import { loadingState } from '../../../screen/loading.ts'
import { onScreenNodes, windowOf } from '../../../screen/matcher.ts'
import { labelOf } from '../../../screen/roles.ts'
import { canBeStructural } from './structural-words.ts'

/** One reading of a screen, with what is asked of it over and over. */
export interface Screen {
  readonly tree: Hierarchy
  readonly activity: string | undefined
  readonly package: string
  /** Every node a person can see, parents before children. */
  readonly nodes: readonly UiNode[]
  /** A window that lies over another one. */
  readonly is_dialog: boolean
  readonly is_loading: boolean
  /** What it calls itself. */
  readonly title: UiNode | undefined
  /** The named parts it is made of, whatever they show. */
  readonly parts: ReadonlySet<string>
  /** Equal for two readings that show the same words in the same states. */
  readonly state: string
}

export function readScreen(tree: Hierarchy, activity: string | undefined): Screen {
  const nodes = onScreenNodes(tree.roots, windowOf(tree))
  const [root] = tree.roots
  return {
    tree,
    activity,
    package: root === undefined ? '' : attribute(root, 'package'),
    nodes,
    is_dialog: isDialog(tree, nodes),
    is_loading: loadingState(nodes) !== null,
    title: titleOf(nodes),
    parts: new Set(nodes.map(partOf)),
    state: JSON.stringify(nodes.map(stateOf)),
  }
}

/** The same kind of screen, whatever it shows: two units of one app, two dialogs of one shape. */
export function isSameKind(one: Screen, other: Screen): boolean {
  if (one.package !== other.package || one.is_dialog !== other.is_dialog) return false
  const bothKnown = one.activity !== undefined && other.activity !== undefined
  if (bothKnown && one.activity !== other.activity) return false
  const shared = [...one.parts].filter((part) => other.parts.has(part)).length
  return shared * 2 >= Math.max(one.parts.size, other.parts.size)
}

/** The same screen of the same thing: what differs between the two has changed. */
export function isSameView(one: Screen, other: Screen): boolean {
  return isSameKind(one, other) && titleWords(one) === titleWords(other)
}

export function isSameState(one: Screen, other: Screen): boolean {
  return one.package === other.package && one.state === other.state
}

export function titleWords({ title }: Screen): string {
  return title === undefined ? '' : labelOf(title).trim()
}

/** The node at a path, if it can be seen. */
export function nodeAt({ nodes }: Screen, path: string | undefined): UiNode | undefined {
  return path === undefined ? undefined : nodes.find((node) => node.path === path)
}

export function isTextField(node: UiNode): boolean {
  return elementRole(attribute(node, 'class')) === 'text_field'
}

export function isSlider(node: UiNode): boolean {
  return elementRole(attribute(node, 'class')) === 'slider'
}

export function isInside(node: UiNode, holder: UiNode): boolean {
  for (let at: UiNode | null = node; at !== null; at = at.parent) if (at === holder) return true
  return false
}

/** From the node's parent upwards. */
export function ancestorsOf(node: UiNode): UiNode[] {
  const found: UiNode[] = []
  for (let at = node.parent; at !== null; at = at.parent) found.push(at)
  return found
}

export function scrollerOf(node: UiNode): UiNode | undefined {
  return ancestorsOf(node).find((one) => isTrue(one, 'scrollable') || LISTS.test(classOf(one)))
}

export const isList = (node: UiNode): boolean => LISTS.test(classOf(node))

const LISTS = /(?:RecyclerView|ListView|GridView)$/

function classOf(node: UiNode): string {
  return attribute(node, 'class')
}

/** A dialog does not begin at the corner of the display, or has the parts of a framework dialog. */
function isDialog({ roots }: Hierarchy, nodes: readonly UiNode[]): boolean {
  const [root] = roots
  const apart = root?.bounds != null && root.bounds.left > 0 && root.bounds.top > 0
  return apart || nodes.some((node) => DIALOG_PARTS.test(attribute(node, 'resource-id')))
}

const DIALOG_PARTS = /(?:[:/]id\/)(?:parentPanel|alertTitle|buttonPanel)$/
const TITLES = /(?:^|[_/])(?:alertTitle|alert_title|action_bar_title|toolbar_title|title_bar)$/
const BARS = /(?:^|[_/])(?:toolbar|action_bar|app_bar|top_bar)$/

function titleOf(nodes: readonly UiNode[]): UiNode | undefined {
  const wording = nodes.filter((node) => labelOf(node).trim() !== '' && !isTrue(node, 'clickable'))
  return (
    wording.find((node) => TITLES.test(attribute(node, 'resource-id'))) ??
    wording.find((node) => ancestorsOf(node).some(isBar)) ??
    wording.find((node) => canBeStructural(labelOf(node)) && scrollerOf(node) === undefined)
  )
}

export function isBar(node: UiNode): boolean {
  return BARS.test(attribute(node, 'resource-id')) || classOf(node).endsWith('Toolbar')
}

/** Where there are no ids, the shape of the tree has to do. */
function partOf(node: UiNode): string {
  const id = attribute(node, 'resource-id')
  return id === '' ? `${node.depth} ${classOf(node)}` : `${id} ${classOf(node)}`
}

/** Where the focus and the keyboard are is no state of what is shown. */
function stateOf(node: UiNode): unknown {
  const words = [attribute(node, 'text'), attribute(node, 'content-desc')]
  return [
    partOf(node),
    ...words.map((text) => (isClockText(text) ? '' : text)),
    STATES.filter((name) => isTrue(node, name)),
  ]
}

const STATES = ['checked', 'selected', 'enabled'] as const
