import { isVisible, type Rect, type View } from '../model/view.ts'
import { escapeXml } from '../windows/escape-xml.ts'
import { isList, isScrollable, listDumpedChildren } from '../windows/hierarchy.ts'

/** A window as the accessibility of Android lists it. */
export interface AccessibleWindow {
  readonly root: View
  readonly type: 'application' | 'keyboard' | 'system'
  readonly layer: number
  readonly isActive: boolean
  readonly isFocused: boolean
}

const WINDOW_TYPES = { application: 1, keyboard: 2, system: 3 } as const

export interface TreeStats {
  nodeCount: number
  truncated: boolean
  readonly maxDepth: number
  readonly maxNodes: number
}

type Attribute = readonly [name: string, value: string | number | boolean]

/** Formats one window as the helper does. It has no attribute for what is checkable, checked or long-clickable. */
export function formatWindow(window: AccessibleWindow, index: number, stats: TreeStats): string {
  const { type, layer, isActive, isFocused, root } = window
  return formatNode({ ...root, index }, { depth: 0, order: 0, stats }, [
    ['window-index', index],
    ['window-type', WINDOW_TYPES[type]],
    ['window-layer', layer],
    ['window-active', isActive],
    ['window-focused', isFocused],
    ['window-bounds', formatBounds(root.bounds)],
  ])
}

interface Position {
  readonly depth: number
  readonly order: number
  readonly stats: TreeStats
}

function formatNode(view: View, position: Position, windowAttributes: readonly Attribute[] = []): string {
  const { depth, stats } = position
  if (stats.nodeCount >= stats.maxNodes) {
    stats.truncated = true
    return ''
  }
  stats.nodeCount += 1
  const children = listChildren(view)
  if (depth >= stats.maxDepth && children.length > 0) stats.truncated = true
  const inner = (depth >= stats.maxDepth ? [] : children)
    .map((child, order) => formatNode(child, { depth: depth + 1, order: order + 1, stats }))
    .join('')
  const attributes = [['index', view.index] as const, ...windowAttributes, ...describeView(view, position)]
  const start = `<node${attributes.map(([name, value]) => ` ${name}="${escapeXml(String(value), '"')}"`).join('')}`
  return inner === '' ? `${start} />` : `${start}>${inner}</node>`
}

/** Views that are not visible are listed too, except the rows of a list. Those that are not accessible are not. */
function listChildren(view: View): readonly View[] {
  const dumped = listDumpedChildren(view)
  return isList(view) ? dumped : listAccessible(view)
}

function listAccessible(view: View): readonly View[] {
  return view.children.flatMap((child) => (child.dumped ? [child] : listAccessible(child)))
}

function describeView(view: View, { order }: Position): readonly Attribute[] {
  const isEditable = view.className.endsWith('EditText')
  const showsHint = view.text !== '' && view.field?.read() === ''
  const scrolls = isScrollable(view)
  const offset = view.scroll?.offset ?? 0
  return [
    ['text', view.text],
    ['hint-showing', showsHint],
    ['editable', isEditable],
    ...optional('resource-id', view.resourceId),
    ['class', view.className],
    ...optional('package', view.packageName),
    ...optional('content-desc', view.description),
    ['visible-to-user', view.kept === true || isVisible(view.visibleBounds)],
    ['drawing-order', order],
    ...optional('clickable', view.clickable),
    ['enabled', view.enabled],
    ...optional('focusable', view.focusable),
    ...optional('focused', view.focused),
    ['selected', view.selected],
    ...optional('scrollable', scrolls),
    ...(scrolls ? [['can-scroll-forward', offset < (view.scroll?.limit ?? 0)] as const] : []),
    ...(scrolls ? [['can-scroll-backward', offset > 0] as const] : []),
    ['password', view.password],
    ['bounds', formatBounds(isVisible(view.visibleBounds) ? view.visibleBounds : view.bounds)],
  ]
}

/** Attributes that the helper leaves out if they are false or empty. */
function optional(name: string, value: string | boolean): readonly Attribute[] {
  return value === '' || value === false ? [] : [[name, value]]
}

function formatBounds({ left, top, right, bottom }: Rect): string {
  return `[${left},${top}][${right},${bottom}]`
}
