import { type Bounds, hasArea } from '../tree/bounds.ts'
import { type UiNode, attribute, isTrue } from '../tree/hierarchy.ts'
import { readLabel } from '../tree/roles.ts'

/** What a node is, whatever its texts, its place and its id. */
export type NodeKind = 'text' | 'image' | 'button' | 'field' | 'control' | 'box'

const CLASS_KINDS: readonly (readonly [RegExp, NodeKind])[] = [
  [/EditText|AutoComplete|TextField|SearchBox/i, 'field'],
  [/Switch|CheckBox|Radio|ToggleButton|CheckedTextView|SeekBar|Slider|Spinner|NumberPicker|RatingBar/i, 'control'],
  [/ImageButton|Button|Chip$/i, 'button'],
  [/Image|Icon/i, 'image'],
  [/TextView|^Text$|StaticText/i, 'text'],
]

/** What the name of a class says. */
interface ClassTraits {
  readonly name: string
  readonly kind: NodeKind | undefined
  readonly isList: boolean
  readonly isScrollView: boolean
}

/** A screen has few classes and many nodes. */
const KNOWN_CLASSES = new Map<string, ClassTraits>()
const MAX_KNOWN_CLASSES = 1000

function readClassTraits(node: UiNode): ClassTraits {
  const className = attribute(node, 'class')
  const known = KNOWN_CLASSES.get(className)
  if (known !== undefined) return known
  const name = className.slice(className.lastIndexOf('.') + 1)
  const traits = {
    name,
    kind: CLASS_KINDS.find(([pattern]) => pattern.test(name))?.[1],
    isList: LIST_CLASS.test(name) && !/Pager/.test(name),
    isScrollView: /ScrollView/.test(name),
  }
  if (KNOWN_CLASSES.size >= MAX_KNOWN_CLASSES) KNOWN_CLASSES.clear()
  KNOWN_CLASSES.set(className, traits)
  return traits
}

const LIST_CLASS = /RecyclerView|ListView|GridView|LazyColumn|LazyRow|LazyVerticalGrid/

/** A leaf without a telling class that has a label is a text: Flutter and React Native draw their texts so. */
export function findKind(node: UiNode, isLeaf: boolean): NodeKind {
  return readClassTraits(node).kind ?? (isLeaf && readLabel(node) !== '' ? 'text' : 'box')
}

export function readSimpleClass(node: UiNode): string {
  return readClassTraits(node).name
}

/** Whether the node itself takes a touch. */
export function takesTouch(node: UiNode): boolean {
  return isTrue(node, 'clickable') || isTrue(node, 'long-clickable') || isTrue(node, 'checkable')
}

/** Whether the node is a list of a known class. Pagers show one page at a time and are no lists. */
export function isListClass(node: UiNode): boolean {
  return readClassTraits(node).isList
}

/** Whether the node scrolls its content. A scroll class whose content fits on the screen is not `scrollable`. */
export function isScroller(node: UiNode): boolean {
  const { isList, isScrollView } = readClassTraits(node)
  return isList || isScrollView || isTrue(node, 'scrollable')
}

export function isShown(node: UiNode): boolean {
  return node.bounds !== null && hasArea(node.bounds)
}

export function readBounds(node: UiNode): Bounds {
  return node.bounds ?? NOWHERE
}

const NOWHERE: Bounds = { left: 0, top: 0, right: 0, bottom: 0 }

/** The children that can be seen. */
export function listShownChildren(node: UiNode): UiNode[] {
  return node.children.filter(isShown)
}

/** The node and what is shown below it, depth first. */
export function listShown(node: UiNode): UiNode[] {
  const found: UiNode[] = []
  const pending = [node]
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    if (at !== node && !isShown(at)) continue
    found.push(at)
    for (let child = at.children.length - 1; child >= 0; child -= 1) {
      const next = at.children[child]
      if (next !== undefined) pending.push(next)
    }
  }
  return found
}
