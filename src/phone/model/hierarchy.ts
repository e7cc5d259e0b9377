import { isVisible, type View } from './view.ts'

const HEADER = "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>"

/** The XML of `uiautomator dump`: one line, attributes in the platform's order. */
export function showHierarchy(root: View, compressed: boolean): string {
  return `${HEADER}<hierarchy rotation="0">${showNode(root, compressed)}</hierarchy>`
}

function showNode(view: View, compressed: boolean): string {
  const children = dumpedChildren(view)
    .map((child) => showNode(child, compressed))
    .join('')
  if (compressed && !isImportant(view)) return children
  const start = `<node${showAttributes(view)}`
  return children === '' ? `${start} />` : `${start}>${children}</node>`
}

/** A list holds only the rows it shows; other parents keep numbering what is out of sight. */
function dumpedChildren(view: View): readonly View[] {
  const visible = view.children.filter((child) => isVisible(child.shown))
  if (!view.className.endsWith('RecyclerView')) return visible
  for (const [index, child] of visible.entries()) child.index = index
  return visible
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

function showAttributes(view: View): string {
  const { left, top, right, bottom } = view.shown
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
    ['scrollable', view.scroll !== undefined && view.scroll.limit > 0],
    ['long-clickable', view.longClickable],
    ['password', view.password],
    ['selected', view.selected],
    ['bounds', `[${left},${top}][${right},${bottom}]`],
  ]
  return attributes.map(([name, value]) => ` ${name}=${quote(String(value))}`).join('')
}

/** "Not accessibility friendly": can be clicked, and nothing in it says what it is. */
function isNaf(view: View): boolean {
  return view.clickable && view.enabled && !hasLabel(view) && !view.className.endsWith('EditText')
}

function hasLabel(view: View): boolean {
  return view.text !== '' || view.description !== '' || view.children.some(hasLabel)
}

/** The platform's serializer takes apostrophes round a value that holds a quotation mark. */
function quote(value: string): string {
  const mark = value.includes('"') ? "'" : '"'
  return `${mark}${escapeValue(value, mark)}${mark}`
}

function escapeValue(value: string, mark: string): string {
  let escaped = ''
  for (const char of value) {
    const code = char.codePointAt(0) ?? 0
    if (char === '&') escaped += '&amp;'
    else if (char === '<') escaped += '&lt;'
    else if (char === '>') escaped += '&gt;'
    else if (char === mark) escaped += mark === '"' ? '&quot;' : '&apos;'
    else if (char === '\n' || char === '\r' || char === '\t') escaped += `&#${code};`
    else if (isUnprintable(code)) escaped += '.'
    else escaped += code > 0xffff ? `&#${code};` : char
  }
  return escaped
}

function isUnprintable(code: number): boolean {
  return (
    code < 0x20 ||
    (code >= 0x7f && code <= 0x9f && code !== 0x85) ||
    (code >= 0xd800 && code <= 0xdfff) ||
    (code >= 0xfdd0 && code <= 0xfddf) ||
    code === 0xfffe ||
    code === 0xffff
  )
}
