import type { SKRSContext2D } from '@napi-rs/canvas'
import type { Rect, Size } from '../../model/view.ts'
import type { CanvasLibrary } from './canvas-library.ts'
import type { Fonts } from './fonts.ts'
import { listIconPaths } from './icons.ts'
import type { Corners, Shape } from './shape.ts'

const ICON_UNITS = 24
const DIM_COLOR = 'rgba(0, 0, 0, 0.5)'

/** Draws a picture and returns its pixels, four bytes each, row by row. */
export function rasterize(
  library: CanvasLibrary,
  fonts: Fonts,
  { width, height }: Size,
  shapes: readonly Shape[],
): Buffer {
  const canvas = library.createCanvas(width, height)
  // Opaque pixels need no conversion when they are read.
  const context = canvas.getContext('2d', { alpha: false })
  context.fillStyle = '#000000'
  context.fillRect(0, 0, width, height)
  const brush: Brush = { library, fonts, context, size: { width, height } }
  for (const shape of shapes) drawShape(brush, shape)
  return canvas.data()
}

interface Brush {
  readonly library: CanvasLibrary
  readonly fonts: Fonts
  readonly context: SKRSContext2D
  readonly size: Size
}

function drawShape(brush: Brush, shape: Shape): void {
  const { context, size } = brush
  const clip = 'clip' in shape ? shape.clip : undefined
  if (clip === undefined) {
    drawUnclipped(brush, shape)
    return
  }
  if (clip.left <= 0 && clip.top <= 0 && clip.right >= size.width && clip.bottom >= size.height) {
    drawUnclipped(brush, shape)
    return
  }
  context.save()
  context.beginPath()
  context.rect(clip.left, clip.top, clip.right - clip.left, clip.bottom - clip.top)
  context.clip()
  drawUnclipped(brush, shape)
  context.restore()
}

function drawUnclipped(brush: Brush, shape: Shape): void {
  const { context, size } = brush
  switch (shape.kind) {
    case 'box':
      drawBox(context, shape)
      return
    case 'gradient':
      drawGradient(context, shape)
      return
    case 'circle':
      drawCircle(context, shape)
      return
    case 'ripple':
      drawRipple(context, shape)
      return
    case 'line':
    case 'polygon':
      drawPoints(context, shape)
      return
    case 'icon':
      drawIcon(brush, shape)
      return
    case 'text':
      context.font = brush.fonts.describe(shape.text, shape.size, shape.weight)
      context.fillStyle = shape.color
      context.fillText(shape.text, shape.x, shape.y)
      return
    case 'dim':
      context.fillStyle = DIM_COLOR
      context.fillRect(0, 0, size.width, size.height)
  }
}

type ShapeOf<Kind extends Shape['kind']> = Extract<Shape, { kind: Kind }>

function traceBox(context: SKRSContext2D, { left, top, right, bottom }: Rect, corners: Corners): void {
  context.beginPath()
  context.roundRect(left, top, Math.max(0, right - left), Math.max(0, bottom - top), corners as number | number[])
}

function drawBox(context: SKRSContext2D, { rect, corners = 0, fill, stroke, elevation }: ShapeOf<'box'>): void {
  traceBox(context, rect, corners)
  if (fill !== undefined) {
    if (elevation !== undefined) {
      context.shadowColor = 'rgba(0, 0, 0, 0.28)'
      context.shadowBlur = elevation
      context.shadowOffsetY = elevation / 3
    }
    context.fillStyle = fill
    context.fill()
    context.shadowColor = 'rgba(0, 0, 0, 0)'
    context.shadowBlur = 0
    context.shadowOffsetY = 0
  }
  applyStroke(context, stroke)
}

function applyStroke(context: SKRSContext2D, stroke: ShapeOf<'box'>['stroke']): void {
  if (stroke === undefined) return
  context.lineWidth = stroke.width
  context.strokeStyle = stroke.color
  context.stroke()
}

function drawGradient(context: SKRSContext2D, { rect, from, to }: ShapeOf<'gradient'>): void {
  const gradient = context.createLinearGradient(rect.left, rect.top, rect.right, rect.bottom)
  gradient.addColorStop(0, from)
  gradient.addColorStop(1, to)
  context.fillStyle = gradient
  context.fillRect(rect.left, rect.top, rect.right - rect.left, rect.bottom - rect.top)
}

function drawCircle(context: SKRSContext2D, { x, y, radius, fill, stroke, arc }: ShapeOf<'circle'>): void {
  const toAngle = (turn: number): number => (turn - 0.25) * 2 * Math.PI
  context.beginPath()
  if (arc === undefined) context.arc(x, y, radius, 0, 2 * Math.PI)
  else context.arc(x, y, radius, toAngle(arc[0]), toAngle(arc[1]))
  if (fill !== undefined) {
    context.fillStyle = fill
    context.fill()
  }
  context.lineCap = 'round'
  applyStroke(context, stroke)
}

function drawRipple(context: SKRSContext2D, { rect, corners, spot }: ShapeOf<'ripple'>): void {
  context.save()
  traceBox(context, rect, corners)
  context.clip()
  context.fillStyle = spot.color
  context.beginPath()
  context.arc(spot.x, spot.y, spot.radius, 0, 2 * Math.PI)
  context.fill()
  context.restore()
}

function drawPoints(context: SKRSContext2D, shape: ShapeOf<'line' | 'polygon'>): void {
  context.beginPath()
  for (let at = 0; at + 1 < shape.points.length; at += 2) {
    const [x, y] = [shape.points[at] ?? 0, shape.points[at + 1] ?? 0]
    if (at === 0) context.moveTo(x, y)
    else context.lineTo(x, y)
  }
  context.lineJoin = 'round'
  if (shape.kind === 'polygon') {
    context.closePath()
    context.fillStyle = shape.color
    context.fill()
    return
  }
  context.lineCap = 'round'
  applyStroke(context, shape)
}

function drawIcon({ library, context }: Brush, { name, x, y, size, color }: ShapeOf<'icon'>): void {
  context.save()
  context.translate(x - size / 2, y - size / 2)
  context.scale(size / ICON_UNITS, size / ICON_UNITS)
  context.lineWidth = 2
  context.lineCap = 'round'
  context.lineJoin = 'round'
  context.strokeStyle = color
  for (const path of listIconPaths(name)) context.stroke(new library.Path2D(path))
  context.restore()
}
