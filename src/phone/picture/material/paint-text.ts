import type { Device } from '../../model/device.ts'
import { wrapText } from '../../model/text-metrics.ts'
import { intersect, type Alignment, type Rect, type View } from '../../model/view.ts'
import type { Window } from '../../windows/frame.ts'
import { DISABLED_INK, INK_VARIANT, mixColors, pickInk } from './colors.ts'
import type { Fonts, Weight } from './fonts.ts'
import type { Shape } from './shape.ts'
import { breakLines, shortenLine, type TextLine, type TextStyle } from './text-lines.ts'

/** Fields taller than this display their text at the top. */
const MULTILINE_FIELD_HEIGHT = 200
const LINE_HEIGHT = 1.16
/** Shares of its size to which a text may shrink before it is shortened. */
const SCALES = [1, 0.9, 0.8]
/** How far a short text may reach beyond its view, as a share of the width. */
const OVERHANG = 0.16
/** Part of the size that digits and capitals rise above the baseline. */
export const CAP_HEIGHT = 0.711

export interface PaintContext {
  readonly fonts: Fonts
  readonly device: Device
  readonly window: Window
  /** The view that holds the painted one. */
  readonly parent?: View | undefined
}

/** Whether a view shows words of its own. */
function readWords(view: View): string {
  if (view.children.length > 0 && view.field === undefined) return ''
  return view.text === '' ? (view.style.words ?? '') : view.text
}

export function paintText(view: View, context: PaintContext): Shape[] {
  const words = readWords(view)
  const isEmptyField = words === '' && view.focused && view.field !== undefined
  if ((words === '' && !isEmptyField) || isStepSign(view)) return []
  const frame = measureFrame(view, context.parent)
  const { style, lines } = fitText(context.fonts, words, view, frame)
  const lineHeight = Math.round(style.size * LINE_HEIGHT)
  const height = lines.length * lineHeight
  const top = isTallField(view) ? view.bounds.top + 30 : Math.round((view.bounds.top + view.bounds.bottom - height) / 2)
  const color = pickTextColor(view)
  const baseline = Math.round((lineHeight + style.size * CAP_HEIGHT) / 2)
  const placed = lines.map((line, index) => ({
    ...line,
    x: Math.round(frame.left + placeLine(view, context, frame.room - frame.over - line.width)),
    y: top + index * lineHeight + baseline,
  }))
  const texts = placed.map(({ text, x, y }): Shape => {
    return { kind: 'text', x, y, text, size: style.size, weight: style.weight, color, clip: frame.clip }
  })
  return [...paintSelection(view, context.device, placed, style), ...texts]
}

interface TextFrame {
  readonly left: number
  readonly room: number
  /** Part of the room that is beyond the view. */
  readonly over: number
  /** What may be covered. */
  readonly clip: Rect
}

function measureFrame({ bounds, visibleBounds, layout, style, text }: View, parent: View | undefined): TextFrame {
  const isCheck = style.shape === 'checkbox' || style.shape === 'radio'
  const aside = isCheck || style.shape === 'switch' ? layout.intrinsic.width : 0
  const inset = style.shape === 'button' ? 30 : 0
  const padX = Math.max(layout.padX, inset)
  const left = bounds.left + padX + (isCheck ? aside : 0)
  const room = bounds.right - bounds.left - 2 * padX - aside
  const isShort = layout.width === 'wrap' && style.shape === 'plain' && wrapText(text, style.size, room).length === 1
  if (!isShort || parent === undefined) return { left, room, over: 0, clip: visibleBounds }
  const over = Math.round(room * OVERHANG)
  const reach = { ...visibleBounds, left: visibleBounds.left - over, right: visibleBounds.right + over }
  return { left, room: room + over, over, clip: intersect(reach, parent.visibleBounds) }
}

/**
 * Breaks the words into lines. The layout was measured with the metrics of another font, so a text that needs more lines
 * than it has there shrinks a little, and is shortened if that does not help.
 */
function fitText(fonts: Fonts, words: string, view: View, { room }: TextFrame) {
  const weight: Weight = view.style.bold || view.style.shape === 'button' ? 500 : 400
  const count = isTallField(view) ? Number.POSITIVE_INFINITY : wrapText(words, view.style.size, room).length
  const fit = (scale: number): { style: TextStyle; lines: TextLine[] } => {
    const style = { size: Math.round(view.style.size * scale), weight }
    return { style, lines: breakLines(fonts, words, style, room) }
  }
  const fitted = SCALES.map(fit)
  const best = fitted.find(({ lines }) => lines.length <= count) ?? fitted.at(-1) ?? fit(1)
  const kept = best.lines.slice(0, count)
  const last = kept.at(-1)
  const isCut = best.lines.length > kept.length && last !== undefined
  const ending = isCut ? [{ text: `${last.text} …`, width: room + 1 }] : []
  const lines = [...kept.slice(0, kept.length - ending.length), ...ending]
  return { style: best.style, lines: lines.map((line) => shortenLine(fonts, line, best.style, room)) }
}

function placeLine(view: View, { window, parent }: PaintContext, free: number): number {
  const [start, end] = window.mirrored === true ? [free, 0] : [0, free]
  return { start, center: free / 2, end }[pickAlignment(view, parent)]
}

/**
 * A view that is as wide as its text was measured with other metrics, which are wider. Where its parent puts it in the
 * middle or at the end, so is the text inside it.
 */
function pickAlignment(view: View, parent: View | undefined): Alignment {
  const { style, layout } = view
  if (style.textAlign !== 'start' || layout.width !== 'wrap' || parent === undefined) return style.textAlign
  if (parent.layout.flow === 'column') return parent.layout.align
  if (parent.layout.flow !== 'row' || parent.children.length < 2) return 'start'
  const before = parent.children[parent.children.indexOf(view) - 1]
  return before !== undefined && before.layout.weight > 0 && view === parent.children.at(-1) ? 'end' : 'start'
}

function isTallField({ style, bounds }: View): boolean {
  return style.shape === 'field' && bounds.bottom - bounds.top > MULTILINE_FIELD_HEIGHT
}

/** The signs of a stepper are drawn as icons. */
export function isStepSign(view: View): boolean {
  return view.style.shape === 'button' && (view.text === '+' || view.text === '-')
}

export function isTextButton({ key, style }: View): boolean {
  return style.shape === 'button' && key.startsWith('dialog/button/')
}

function pickTextColor(view: View): string {
  const { style, enabled } = view
  if (!enabled) return DISABLED_INK
  if (isTextButton(view)) return mixColors(style.accent, '#000000', 0.1)
  if (style.shape === 'button') return pickInk(style.background ?? style.accent)
  if (view.key === 'toolbar/title') return pickInk(style.accent)
  if (style.shape === 'chip' && style.isChosen !== true) return INK_VARIANT
  return style.color
}

interface PlacedLine extends TextLine {
  readonly x: number
  readonly y: number
}

/** The cursor of a focused field, or the background of its selected text. */
function paintSelection(view: View, device: Device, lines: readonly PlacedLine[], style: TextStyle): Shape[] {
  if (!view.focused || view.field === undefined) return []
  const isEmpty = view.field.read() === ''
  const rise = Math.round(style.size * 0.86)
  const fall = Math.round(style.size * 0.26)
  if (device.focus?.allSelected === true && !isEmpty) {
    const fill = mixColors(view.style.accent, '#ffffff', 0.6)
    return lines.map(({ x, y, width }) => {
      const rect = { left: x, top: y - rise, right: Math.round(x + width), bottom: y + fall }
      return { kind: 'box', rect, fill, clip: view.visibleBounds }
    })
  }
  const last = lines.at(-1)
  if (last === undefined) return []
  const left = Math.round(isEmpty ? last.x - 4 : last.x + last.width + 3)
  const rect = { left, top: last.y - rise, right: left + 5, bottom: last.y + fall }
  return [{ kind: 'box', rect, fill: view.style.accent, clip: view.visibleBounds }]
}
