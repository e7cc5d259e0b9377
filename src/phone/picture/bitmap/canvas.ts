import { measureAdvance, GLYPH_COLUMNS, glyphScale } from '../../model/text-metrics.ts'
import { intersect, isVisible, type Rect } from '../../model/view.ts'
import { findGlyph } from './glyphs.ts'

/** One drawing operation. A list of them is a picture. */
export type Stroke =
  | { readonly kind: 'rect'; readonly rect: Rect; readonly color: string }
  | {
      readonly kind: 'circle'
      readonly x: number
      readonly y: number
      readonly radius: number
      readonly color: string
      readonly clip: Rect
    }
  | {
      readonly kind: 'text'
      readonly x: number
      readonly y: number
      readonly text: string
      readonly size: number
      readonly bold: boolean
      readonly color: string
      readonly clip: Rect
    }
  /** Darkens everything drawn so far. */
  | { readonly kind: 'dim' }

/** A picture as palette indices, with its palette. */
export interface Canvas {
  readonly width: number
  readonly height: number
  readonly pixels: Uint8Array
  /** 0xRRGGBB by palette index. At most 256 entries. */
  readonly colors: number[]
}

export function draw(width: number, height: number, strokes: readonly Stroke[]): Canvas {
  const canvas: Canvas = { width, height, pixels: new Uint8Array(width * height), colors: [0] }
  for (const stroke of strokes) drawStroke(canvas, stroke)
  return canvas
}

function drawStroke(canvas: Canvas, stroke: Stroke): void {
  switch (stroke.kind) {
    case 'rect':
      fillRect(canvas, stroke.rect, findColorIndex(canvas, stroke.color))
      return
    case 'circle':
      fillCircle(canvas, stroke)
      return
    case 'text':
      drawText(canvas, stroke)
      return
    case 'dim':
      dim(canvas)
  }
}

function findColorIndex(canvas: Canvas, color: string): number {
  return findPaletteIndex(canvas, Number.parseInt(color.slice(1), 16))
}

function findPaletteIndex({ colors }: Canvas, value: number): number {
  const known = colors.indexOf(value)
  if (known !== -1) return known
  if (colors.length >= 256) return 0
  colors.push(value)
  return colors.length - 1
}

function fillRect(canvas: Canvas, rect: Rect, color: number): void {
  const full = { left: 0, top: 0, right: canvas.width, bottom: canvas.height }
  const part = intersect(rect, full)
  if (!isVisible(part)) return
  for (let y = part.top; y < part.bottom; y += 1) {
    canvas.pixels.fill(color, y * canvas.width + part.left, y * canvas.width + part.right)
  }
}

function fillCircle(canvas: Canvas, { x, y, radius, color, clip }: Stroke & { kind: 'circle' }): void {
  const number = findColorIndex(canvas, color)
  for (let dy = -radius; dy <= radius; dy += 1) {
    const half = Math.floor(Math.sqrt(radius * radius - dy * dy))
    const line = { left: x - half, top: y + dy, right: x + half + 1, bottom: y + dy + 1 }
    fillRect(canvas, intersect(line, clip), number)
  }
}

function drawText(canvas: Canvas, stroke: Stroke & { kind: 'text' }): void {
  const { text, size, bold, clip } = stroke
  const scale = glyphScale(size)
  const color = findColorIndex(canvas, stroke.color)
  let left = stroke.x
  for (const char of text) {
    for (const [row, bits] of findGlyph(char).entries()) {
      for (let column = 0; column < GLYPH_COLUMNS; column += 1) {
        if (((bits >> (GLYPH_COLUMNS - 1 - column)) & 1) === 0) continue
        const x = left + column * scale
        const y = stroke.y + row * scale
        const dot = { left: x, top: y, right: x + scale + (bold ? 2 : 0), bottom: y + scale }
        fillRect(canvas, intersect(dot, clip), color)
      }
    }
    left += measureAdvance(size)
  }
}

function dim(canvas: Canvas): void {
  const darker = canvas.colors.map((value) => {
    const [red, green, blue] = [value >> 16, (value >> 8) & 0xff, value & 0xff]
    return findPaletteIndex(canvas, (darken(red) << 16) | (darken(green) << 8) | darken(blue))
  })
  for (const [at, number] of canvas.pixels.entries()) canvas.pixels[at] = darker[number] ?? 0
}

function darken(value: number): number {
  return Math.floor((value * 2) / 5)
}

/** Converts a canvas to four bytes per pixel, row by row. */
export function toRgba({ pixels, colors }: Canvas): Buffer {
  const data = new Uint32Array(pixels.length)
  const swapped = colors.map((value) => Buffer.from([value >> 16, value >> 8, value, 0xff]).readUInt32LE())
  for (const [at, number] of pixels.entries()) data[at] = swapped[number] ?? 0
  return Buffer.from(data.buffer)
}
