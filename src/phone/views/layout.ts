import { measureAdvance, countCharacters, measureLineHeight, wrapText } from '../model/text-metrics.ts'
import { intersect, type Rect, type Size, type View } from '../model/view.ts'

/**
 * Sets the bounds of a view and its descendants. Sizes are measured top down within the available
 * space, so text wraps at its final width. A scrolling container has unlimited space on its axis.
 */
export function placeView(view: View, rect: Rect, clip: Rect): void {
  view.bounds = rect
  view.visibleBounds = intersect(rect, clip)
  const { padX, padY } = view.layout
  const inner: Rect = {
    left: rect.left + padX,
    top: rect.top + padY,
    right: Math.max(rect.left + padX, rect.right - padX),
    bottom: Math.max(rect.top + padY, rect.bottom - padY),
  }
  if (view.layout.flow === 'row') placeLine(view, inner, 'x')
  else if (view.layout.flow === 'column') placeLine(view, inner, 'y')
  else if (view.layout.flow === 'grid') placeGrid(view, inner)
  else if (view.layout.flow === 'stack') placeStack(view, inner)
}

/** Measures a view within the available width and height. */
export function measureView(view: View, width: number, height: number): Size {
  // Each container measures all views below it, mostly within the same space as the containers around it.
  const last = view.measured
  if (last?.width === width && last.height === height) return last.size
  const size = computeSize(view, width, height)
  view.measured = { width, height, size }
  return size
}

function computeSize(view: View, width: number, height: number): Size {
  const { layout } = view
  if (layout.at !== undefined) return { width: layout.at.width, height: layout.at.height }
  const roomX = availableSize(layout.width, width) - 2 * layout.padX
  const roomY = availableSize(layout.height, height) - 2 * layout.padY
  const content = contentSize(view, Math.max(0, roomX), Math.max(0, roomY))
  return {
    width: finalSize(layout.width, width, content.width + 2 * layout.padX),
    height: finalSize(layout.height, height, content.height + 2 * layout.padY),
  }
}

function availableSize(extent: View['layout']['width'], room: number): number {
  return typeof extent === 'number' ? extent : room
}

function finalSize(extent: View['layout']['width'], room: number, content: number): number {
  if (typeof extent === 'number') return extent
  if (extent === 'fill' && Number.isFinite(room)) return room
  return Math.min(content, room)
}

function contentSize(view: View, width: number, height: number): Size {
  switch (view.layout.flow) {
    case 'leaf':
      return leafSize(view, width)
    case 'row':
      return lineSize(view, { width, height }, 'x')
    case 'column':
      return lineSize(view, { width, height }, 'y')
    case 'stack':
      return maxSize(view.children.map((child) => measureView(child, width, height)))
    case 'grid':
      return gridSize(view, width)
  }
}

function leafSize(view: View, width: number): Size {
  const { intrinsic } = view.layout
  if (view.text === '') return intrinsic
  const { size } = view.style
  const lines = wrapText(view.text, size, width - intrinsic.width)
  const longest = Math.max(...lines.map(countCharacters))
  return {
    width: Math.min(width, longest * measureAdvance(size) + intrinsic.width),
    height: Math.max(intrinsic.height, lines.length * measureLineHeight(size)),
  }
}

function maxSize(sizes: readonly Size[]): Size {
  return {
    width: Math.max(0, ...sizes.map((size) => size.width)),
    height: Math.max(0, ...sizes.map((size) => size.height)),
  }
}

type Axis = 'x' | 'y'

function lineSize(view: View, room: Size, axis: Axis): Size {
  return addSizes(view, lineSizes(view, room, axis), axis)
}

function addSizes(view: View, sizes: readonly Size[], axis: Axis): Size {
  const gaps = view.layout.gap * Math.max(0, sizes.length - 1)
  const most = maxSize(sizes)
  return axis === 'x'
    ? { width: sum(sizes.map((size) => size.width)) + gaps, height: most.height }
    : { width: most.width, height: sum(sizes.map((size) => size.height)) + gaps }
}

/** Sizes of the children of a row or column. Weighted children share the remaining space. */
function lineSizes(view: View, room: Size, axis: Axis): Size[] {
  const unbounded = view.scroll !== undefined
  const along = unbounded ? Number.POSITIVE_INFINITY : axis === 'x' ? room.width : room.height
  const across = axis === 'x' ? room.height : room.width
  const flowing = view.children.filter((child) => child.layout.at === undefined)
  const weights = flowing.map((child) => (Number.isFinite(along) ? resolveWeight(child, axis) : 0))
  let remaining = along - view.layout.gap * Math.max(0, flowing.length - 1)
  const sizes = flowing.map((child, index) => {
    if ((weights[index] ?? 0) > 0) return undefined
    if (unbounded && child.layout.page === true) return measurePage(child, room, axis)
    const size = measureLine(child, Math.max(0, remaining), across, axis)
    remaining -= axis === 'x' ? size.width : size.height
    return size
  })
  const total = sum(weights)
  return flowing.map((child, index) => {
    const size = sizes[index]
    if (size !== undefined) return size
    const share = Math.floor((Math.max(0, remaining) * (weights[index] ?? 0)) / total)
    const measured = measureLine(child, share, across, axis)
    return axis === 'x' ? { width: share, height: measured.height } : { width: measured.width, height: share }
  })
}

/** A page is as long as the visible part of the line that scrolls. */
function measurePage(child: View, room: Size, axis: Axis): Size {
  const size = measureView(child, room.width, room.height)
  return axis === 'x' ? { ...size, width: room.width } : { ...size, height: room.height }
}

function measureLine(child: View, along: number, across: number, axis: Axis): Size {
  return axis === 'x' ? measureView(child, along, across) : measureView(child, across, along)
}

function resolveWeight(child: View, axis: Axis): number {
  if (child.layout.weight > 0) return child.layout.weight
  return (axis === 'x' ? child.layout.width : child.layout.height) === 'fill' ? 1 : 0
}

function placeLine(view: View, inner: Rect, axis: Axis): void {
  const room = { width: inner.right - inner.left, height: inner.bottom - inner.top }
  const sizes = lineSizes(view, room, axis)
  const along = axis === 'x' ? room.width : room.height
  const length = addSizes(view, sizes, axis)[axis === 'x' ? 'width' : 'height']
  let cursor = (axis === 'x' ? inner.left : inner.top) - clampScroll(view, length - along)
  if (view.layout.justify === 'end') cursor += Math.max(0, along - length)
  let index = 0
  for (const child of view.children) {
    if (placeAbsolute(view, child, inner)) continue
    const size = sizes[index] ?? { width: 0, height: 0 }
    index += 1
    const rect = axis === 'x' ? rowCell(view, inner, size, cursor) : columnCell(view, inner, size, cursor)
    placeView(child, rect, view.visibleBounds)
    cursor += (axis === 'x' ? size.width : size.height) + view.layout.gap
  }
  if (axis === 'y' && view.scroll !== undefined) pinHeader(view, inner.top)
}

/** Keeps the header of the section at the top of a column in sight. The next header pushes it out. */
function pinHeader(view: View, top: number): void {
  const headers = view.children.filter((child) => child.layout.sticky === true)
  const at = headers.findLastIndex((header) => header.bounds.top < top)
  const header = headers[at]
  if (header === undefined) return
  const height = header.bounds.bottom - header.bounds.top
  const start = Math.min(top, (headers[at + 1]?.bounds.top ?? Number.POSITIVE_INFINITY) - height)
  placeView(header, { ...header.bounds, top: start, bottom: start + height }, view.visibleBounds)
  // The last child is drawn above the others.
  view.children = [...view.children.filter((child) => child !== header), header]
}

function rowCell(view: View, inner: Rect, size: Size, left: number): Rect {
  const top = inner.top + alignmentOffset(view, inner.bottom - inner.top - size.height)
  return { left, top, right: left + size.width, bottom: top + size.height }
}

function columnCell(view: View, inner: Rect, size: Size, top: number): Rect {
  const left = inner.left + alignmentOffset(view, inner.right - inner.left - size.width)
  return { left, top, right: left + size.width, bottom: top + size.height }
}

function alignmentOffset(view: View, spare: number): number {
  if (view.layout.align === 'start' || spare <= 0) return 0
  return view.layout.align === 'end' ? spare : Math.floor(spare / 2)
}

/** Sets the scroll limit from the overflow of the content and clamps the scroll offset. */
function clampScroll(view: View, overflow: number): number {
  if (view.scroll === undefined) return 0
  view.scroll.limit = Math.max(0, Math.ceil(overflow))
  view.scroll.offset = Math.min(view.scroll.offset, view.scroll.limit)
  return view.scroll.offset
}

function placeAbsolute(view: View, child: View, inner: Rect): boolean {
  const { at } = child.layout
  if (at === undefined) return false
  const left = inner.left + at.x
  const top = inner.top + at.y
  placeView(child, { left, top, right: left + at.width, bottom: top + at.height }, view.visibleBounds)
  return true
}

function placeStack(view: View, inner: Rect): void {
  for (const child of view.children) {
    if (placeAbsolute(view, child, inner)) continue
    const size = measureView(child, inner.right - inner.left, inner.bottom - inner.top)
    const left = inner.left + alignmentOffset(view, inner.right - inner.left - size.width)
    const top = inner.top + alignmentOffset(view, inner.bottom - inner.top - size.height)
    placeView(child, { left, top, right: left + size.width, bottom: top + size.height }, view.visibleBounds)
  }
}

function gridSize(view: View, width: number): Size {
  return { width, height: sumRows(view, gridRows(view, width)) }
}

function sumRows(view: View, rows: readonly { readonly height: number }[]): number {
  return sum(rows.map((row) => row.height)) + view.layout.gap * Math.max(0, rows.length - 1)
}

function gridRows(view: View, width: number): { readonly height: number; readonly cells: View[] }[] {
  const { columns, gap } = view.layout
  const cellWidth = Math.floor((width - gap * (columns - 1)) / columns)
  const rows: { height: number; cells: View[] }[] = []
  for (let at = 0; at < view.children.length; at += columns) {
    const cells = view.children.slice(at, at + columns)
    const heights = cells.map((cell) => measureView(cell, cellWidth, Number.POSITIVE_INFINITY).height)
    rows.push({ height: Math.max(...heights), cells })
  }
  return rows
}

function placeGrid(view: View, inner: Rect): void {
  const width = inner.right - inner.left
  const { columns, gap } = view.layout
  const cellWidth = Math.floor((width - gap * (columns - 1)) / columns)
  const rows = gridRows(view, width)
  const overflow = sumRows(view, rows) - (inner.bottom - inner.top)
  let top = inner.top - clampScroll(view, overflow)
  for (const { height, cells } of rows) {
    for (const [column, cell] of cells.entries()) {
      const left = inner.left + column * (cellWidth + gap)
      placeView(cell, { left, top, right: left + cellWidth, bottom: top + height }, view.visibleBounds)
    }
    top += height + gap
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
