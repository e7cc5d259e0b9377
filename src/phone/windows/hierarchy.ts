import type { Toolkit } from '../documents/app-document.ts'
import type { Rotation } from '../model/device.ts'
import { isVisible, type View } from '../model/view.ts'
import { escapeXml } from './escape-xml.ts'
import { presentWindow } from './toolkit.ts'

const HEADER = "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>"

export interface DumpOptions {
  readonly compressed: boolean
  /** Adds the attribute `hint`, as newer versions of Android do. */
  readonly hints: boolean
  /** The toolkit whose trees the dump imitates. */
  readonly toolkit: Toolkit
  readonly rotation: Rotation
}

/** Formats the XML of `uiautomator dump`: one line, attributes in the order of Android. */
export function formatHierarchy(root: View, options: DumpOptions): string {
  const shown = options.toolkit === 'view' ? root : presentWindow(root, options.toolkit)
  return `${HEADER}<hierarchy rotation="${options.rotation}">${formatNode(shown, options)}</hierarchy>`
}

function formatNode(view: View, options: DumpOptions): string {
  const children = listDumpedChildren(view)
    .map((child) => formatNode(child, options))
    .join('')
  if (options.compressed && !isImportant(view)) return children
  const hint = options.hints ? ` hint=${quoteValue(view.hint)}` : ''
  const start = `<node${formatAttributes(view)}${hint}`
  return children === '' ? `${start} />` : `${start}>${children}</node>`
}

const isShown = (view: View): boolean => view.kept === true || isVisible(view.visibleBounds)

/** The children of views that are not dumped take the place of their parents. */
function listVisibleChildren(view: View): readonly View[] {
  if (view.children.every((child) => child.dumped && isShown(child))) return view.children
  return view.children.flatMap((child) => {
    if (!isShown(child)) return []
    return child.dumped ? [child] : listVisibleChildren(child)
  })
}

/** Numbers the visible rows of a list from 0. In other parents, hidden children count too. */
export function listDumpedChildren(view: View): readonly View[] {
  const visible = listVisibleChildren(view)
  if (!isList(view) && view.children.every((child) => child.dumped)) return visible
  for (const [index, child] of visible.entries()) child.index = index
  return visible
}

/** A list has only those rows that are visible. */
export function isList(view: View): boolean {
  return view.className.endsWith('RecyclerView') && view.kept !== true
}

function isImportant(view: View): boolean {
  return (
    view.text !== '' ||
    view.description !== '' ||
    view.clickable ||
    view.longClickable ||
    view.checkable ||
    view.scroll !== undefined ||
    view.className.endsWith('ProgressBar') ||
    view.className.endsWith('SeekBar')
  )
}

function formatAttributes(view: View): string {
  const { left, top, right, bottom } = view.visibleBounds
  const attributes: (readonly [string, string | number | boolean])[] = [
    ...(isNaf(view) ? [['NAF', true] as const] : []),
    ['index', view.index],
    ['text', view.text],
    ['resource-id', view.resourceId],
    ['class', view.className],
    ['package', view.packageName],
    ['content-desc', view.description],
    ['checkable', view.checkable],
    ['checked', view.checked],
    ['clickable', view.clickable],
    ['enabled', view.enabled],
    ['focusable', view.focusable],
    ['focused', view.focused],
    ['scrollable', isScrollable(view)],
    ['long-clickable', view.longClickable],
    ['password', view.password],
    ['selected', view.selected],
    ['bounds', `[${left},${top}][${right},${bottom}]`],
  ]
  return attributes.map(([name, value]) => ` ${name}=${quoteValue(String(value))}`).join('')
}

export function isScrollable({ scroll }: View): boolean {
  if (scroll === undefined || scroll.printed === 'never') return false
  return scroll.printed === 'always' || scroll.limit > 0
}

/** "Not accessibility friendly": clickable, without text or description in its subtree. */
function isNaf(view: View): boolean {
  return view.clickable && view.enabled && !hasLabel(view) && !view.className.endsWith('EditText')
}

function hasLabel(view: View): boolean {
  return view.text !== '' || view.description !== '' || view.children.some(hasLabel)
}

/** Android's serializer uses apostrophes around a value that contains a quotation mark. */
function quoteValue(value: string): string {
  const quotation = value.includes('"') ? "'" : '"'
  return `${quotation}${escapeXml(value, quotation)}${quotation}`
}
