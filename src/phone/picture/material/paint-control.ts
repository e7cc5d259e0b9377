import { SLIDER_INSET } from '../../input/gestures.ts'
import { renderLabel } from '../../model/scope.ts'
import type { Rect, View } from '../../model/view.ts'
import {
  DISABLED_FILL,
  DISABLED_INK,
  INK_VARIANT,
  mixColors,
  OUTLINE,
  pickInk,
  pickTileColor,
  toTone,
} from './colors.ts'
import { findIcon } from './icons.ts'
import { CAP_HEIGHT, isStepSign, isTextButton, type PaintContext } from './paint-text.ts'
import type { Shape } from './shape.ts'

/** Paints a control without its text. */
export function paintControl(view: View, context: PaintContext): Shape[] {
  switch (view.style.shape) {
    case 'plain':
      return []
    case 'button':
      return paintButton(view)
    case 'chip':
      return paintChip(view)
    case 'scrim':
      return [{ kind: 'dim' }]
    case 'field':
      return paintField(view)
    case 'image':
      return paintImage(view, context)
    case 'switch':
      return paintSwitch(view)
    case 'checkbox':
    case 'radio':
      return paintCheck(view)
    case 'slider':
      return paintSlider(view)
    case 'progress':
      return paintProgress(view)
  }
}

export function shrink({ left, top, right, bottom }: Rect, by: number): Rect {
  return { left: left + by, top: top + by, right: right - by, bottom: bottom - by }
}

export function findCenter({ left, top, right, bottom }: Rect): { readonly x: number; readonly y: number } {
  return { x: Math.round((left + right) / 2), y: Math.round((top + bottom) / 2) }
}

function paintButton(view: View): Shape[] {
  const { bounds, visibleBounds: clip, style, enabled } = view
  if (isTextButton(view)) return []
  const rect = shrink(bounds, 6)
  const corners = Math.min(60, (rect.bottom - rect.top) / 2)
  const isTonal = isStepSign(view)
  const color = style.background ?? (isTonal ? toTone(style.accent) : style.accent)
  const box: Shape = { kind: 'box', rect, corners, clip, fill: enabled ? color : DISABLED_FILL }
  if (!isTonal) return [box]
  const ink = enabled ? mixColors(style.accent, '#000000', 0.2) : DISABLED_INK
  const name = view.text === '+' ? 'add' : 'remove'
  return [box, { kind: 'icon', name, ...findCenter(rect), size: 63, color: ink, clip }]
}

function paintChip({ bounds, visibleBounds: clip, style }: View): Shape[] {
  const rect = shrink(bounds, 9)
  if (style.isChosen === true) return [{ kind: 'box', rect, corners: 24, clip, fill: toTone(style.accent) }]
  return [{ kind: 'box', rect, corners: 24, clip, stroke: { color: '#c9c5cd', width: 3 } }]
}

/** A filled field: the line below shows the focus. */
function paintField({ bounds, visibleBounds: clip, focused, style, enabled }: View): Shape[] {
  const line = { ...bounds, top: bounds.bottom - (focused ? 6 : 3) }
  const fill = focused ? mixColors('#f1f0f4', style.accent, 0.08) : '#f1f0f4'
  const color = enabled ? (focused ? style.accent : OUTLINE) : DISABLED_INK
  return [
    { kind: 'box', rect: bounds, corners: [15, 15, 0, 0], clip, fill: style.background ?? fill },
    { kind: 'box', rect: line, clip, fill: color },
  ]
}

/** Images at least this large stand for an app or a thing and get a tile. Smaller ones are plain icons. */
const TILE_SIZE = 100

function paintImage(view: View, context: PaintContext): Shape[] {
  const { bounds, visibleBounds: clip, style, enabled } = view
  const words = style.icon ?? ''
  const name = findIcon(words)
  const { x, y } = findCenter(bounds)
  const side = Math.min(bounds.right - bounds.left, bounds.bottom - bounds.top)
  const isPlain = view.clickable || side < TILE_SIZE || words.length === 1
  if (name !== undefined && isPlain) {
    const inToolbar = view.key.startsWith('toolbar')
    const color = enabled ? (inToolbar ? pickInk(style.accent) : pickIconColor(view)) : DISABLED_INK
    return [{ kind: 'icon', name, x, y, size: Math.min(66, Math.round(side * 0.6)), color, clip }]
  }
  return paintTile(view, context, words)
}

function pickIconColor({ style, clickable }: View): string {
  return style.color === '#212121' ? (clickable ? INK_VARIANT : style.accent) : style.color
}

/** A tile with the icon of a word, or with its first letter. */
function paintTile({ bounds, visibleBounds: clip, style }: View, context: PaintContext, words: string): Shape[] {
  const rect = shrink(bounds, Math.round((bounds.bottom - bounds.top) * 0.06))
  const side = Math.min(rect.right - rect.left, rect.bottom - rect.top)
  const { x, y } = findCenter(rect)
  const color = words === '' ? style.accent : (findAppColor(context, words) ?? pickTileColor(words))
  const tile: Shape = { kind: 'box', rect, corners: Math.round(side * 0.28), clip, fill: color }
  const name = findIcon(words)
  if (name !== undefined)
    return [tile, { kind: 'icon', name, x, y, size: Math.round(side * 0.54), color: '#ffffff', clip }]
  const text = Array.from(words)[0]?.toUpperCase() ?? ''
  if (text === '') return [tile]
  const size = Math.round(side * 0.5)
  const left = Math.round(x - context.fonts.measure(text, size, 500) / 2)
  const baseline = Math.round(y + (size * CAP_HEIGHT) / 2)
  return [tile, { kind: 'text', x: left, y: baseline, text, size, weight: 500, color: '#ffffff', clip }]
}

/** The color of the app with this name. */
function findAppColor({ device }: PaintContext, label: string): string | undefined {
  return [...device.apps.values()].find((app) => renderLabel(device, app) === label)?.document.color
}

function paintSwitch({ bounds, visibleBounds: clip, checked, style, enabled }: View): Shape[] {
  const { y } = findCenter(bounds)
  const right = bounds.right - 3
  const track = { left: right - 114, top: y - 36, right, bottom: y + 36 }
  const x = checked ? right - 36 : right - 78
  if (checked) {
    const fill = enabled ? style.accent : DISABLED_FILL
    return [
      { kind: 'box', rect: track, corners: 36, clip, fill },
      { kind: 'circle', x, y, radius: 27, clip, fill: '#ffffff' },
      { kind: 'icon', name: 'check', x, y, size: 36, color: fill, clip },
    ]
  }
  const color = enabled ? OUTLINE : DISABLED_INK
  return [
    { kind: 'box', rect: shrink(track, 2), corners: 34, clip, fill: '#e6e0e9', stroke: { color, width: 4 } },
    { kind: 'circle', x, y, radius: 21, clip, fill: color },
  ]
}

function paintCheck({ bounds, visibleBounds: clip, checked, style, enabled }: View): Shape[] {
  const { y } = findCenter(bounds)
  const x = bounds.left + 48
  const color = enabled ? (checked ? style.accent : OUTLINE) : DISABLED_INK
  const stroke = { color, width: 5 }
  if (style.shape === 'radio') {
    const ring: Shape = { kind: 'circle', x, y, radius: 25, clip, stroke }
    return checked ? [ring, { kind: 'circle', x, y, radius: 14, clip, fill: color }] : [ring]
  }
  const rect = { left: x - 24, top: y - 24, right: x + 24, bottom: y + 24 }
  if (!checked) return [{ kind: 'box', rect, corners: 6, clip, stroke }]
  return [
    { kind: 'box', rect, corners: 6, clip, fill: color, stroke },
    { kind: 'line', points: [x - 14, y + 1, x - 4, y + 11, x + 15, y - 9], width: 6, color: pickInk(color), clip },
  ]
}

function paintSlider({ bounds, visibleBounds: clip, style, enabled }: View): Shape[] {
  const { y } = findCenter(bounds)
  const [left, right] = [bounds.left + SLIDER_INSET, bounds.right - SLIDER_INSET]
  const x = Math.round(left + (right - left) * (style.fraction ?? 0))
  const color = enabled ? style.accent : DISABLED_INK
  const track = { left, top: y - 6, right, bottom: y + 6 }
  return [
    { kind: 'box', rect: track, corners: 6, clip, fill: toTone(color) },
    { kind: 'box', rect: { ...track, right: x }, corners: 6, clip, fill: color },
    { kind: 'circle', x, y, radius: 27, clip, fill: color },
  ]
}

function paintProgress({ bounds, visibleBounds: clip, style }: View): Shape[] {
  const { x, y } = findCenter(bounds)
  if (style.fraction === undefined) {
    const radius = Math.min(48, (bounds.bottom - bounds.top) / 2 - 6, (bounds.right - bounds.left) / 2 - 6)
    if (radius <= 0) return []
    return [{ kind: 'circle', x, y, radius, clip, stroke: { color: style.accent, width: 10 }, arc: [0.1, 0.85] }]
  }
  const end = Math.round(bounds.left + (bounds.right - bounds.left) * style.fraction)
  const bar = { left: bounds.left, top: y - 6, right: bounds.right, bottom: y + 6 }
  return [
    { kind: 'box', rect: bar, corners: 6, clip, fill: toTone(style.accent) },
    { kind: 'box', rect: { ...bar, right: end }, corners: 6, clip, fill: style.accent },
  ]
}
