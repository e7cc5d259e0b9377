import type { Device } from '../../model/device.ts'
import { layoutKeys } from '../../model/keyboard.ts'
import { measureAdvance, glyphScale, countCharacters, measureLineHeight, wrapText } from '../../model/text-metrics.ts'
import { intersect, visibleViews, type Rect, type View } from '../../model/view.ts'
import { NAVIGATION_BAR_HEIGHT, STATUS_BAR_HEIGHT, type Window } from '../../windows/frame.ts'
import { currentWindows } from '../../windows/window.ts'
import type { Stroke } from './canvas.ts'
import { paintControl } from './paint-control.ts'

/** Paints the current screen as a list of strokes. Empty when the screen is off. */
export function paintScreen(device: Device): Stroke[] {
  const windows = currentWindows(device)
  if (windows.length === 0) return []
  const strokes: Stroke[] = []
  for (const [index, window] of windows.entries()) {
    if (index > 0) strokes.push({ kind: 'dim' })
    for (const view of visibleViews(window.root)) strokes.push(...paintView(view, window))
  }
  return [...strokes, ...paintBars(device), ...paintKeyboard(device), ...paintToasts(device)]
}

function paintView(view: View, window: Window): Stroke[] {
  const { visibleBounds, style } = view
  const background: Stroke[] =
    style.background === undefined ? [] : [{ kind: 'rect', rect: visibleBounds, color: style.background }]
  return [...background, ...paintControl(view), ...paintText(view, window)]
}

/** Fields taller than this display their text at the top. */
const MULTILINE_FIELD_HEIGHT = 200

function paintText(view: View, { mirrored }: Window): Stroke[] {
  const { style, layout, bounds } = view
  const words = view.text === '' ? (style.words ?? '') : view.text
  if (words === '' || (view.children.length > 0 && view.field === undefined)) return []
  const isCheck = style.shape === 'switch' || style.shape === 'checkbox' || style.shape === 'radio'
  const aside = isCheck ? layout.intrinsic.width : 0
  const room = bounds.right - bounds.left - 2 * layout.padX - aside
  const lines = wrapText(words, style.size, room)
  const height = lines.length * measureLineHeight(style.size)
  const tall = style.shape === 'field' && bounds.bottom - bounds.top > MULTILINE_FIELD_HEIGHT
  const spare = tall ? 24 : Math.max(0, Math.floor((bounds.bottom - bounds.top - height) / 2))
  const top = bounds.top + spare + glyphScale(style.size)
  const color = textColor(view)
  return lines.map((text, index) => {
    const free = room - countCharacters(text) * measureAdvance(style.size)
    const [start, end] = mirrored === true ? [free, 0] : [0, free]
    const shift = { start, center: Math.floor(free / 2), end }[style.textAlign]
    const x = bounds.left + layout.padX + (isCheck && style.shape !== 'switch' ? aside : 0) + Math.max(0, shift)
    const y = top + index * measureLineHeight(style.size)
    return {
      kind: 'text',
      x,
      y,
      text,
      size: style.size,
      bold: style.bold,
      color,
      clip: view.visibleBounds,
    }
  })
}

function textColor({ style, enabled }: View): string {
  if (!enabled) return '#9e9e9e'
  return style.shape === 'button' ? '#ffffff' : style.color
}

function paintBars(device: Device): Stroke[] {
  const { width, height } = device.screen
  const clock = new Date(device.clock.now()).toISOString().slice(11, 16)
  const status: Rect = { left: 0, top: 0, right: width, bottom: STATUS_BAR_HEIGHT }
  const top = height - NAVIGATION_BAR_HEIGHT
  const buttons: Rect = { left: 0, top, right: width, bottom: height }
  const label = (text: string, x: number, y: number, clip: Rect): Stroke => ({
    kind: 'text',
    x,
    y,
    text,
    size: 40,
    bold: false,
    color: '#ffffff',
    clip,
  })
  const battery = `${device.battery.level}%`
  return [
    { kind: 'rect', rect: status, color: '#263238' },
    label(clock, 36, 24, status),
    label(battery, width - 36 - countCharacters(battery) * measureAdvance(40), 24, status),
    { kind: 'rect', rect: buttons, color: '#101416' },
    label('<', Math.round(width / 6) - 10, top + 42, buttons),
    {
      kind: 'circle',
      x: Math.round(width / 2),
      y: top + 63,
      radius: 24,
      color: '#ffffff',
      clip: buttons,
    },
    {
      kind: 'rect',
      rect: {
        left: Math.round((5 * width) / 6) - 22,
        top: top + 41,
        right: Math.round((5 * width) / 6) + 22,
        bottom: top + 85,
      },
      color: '#ffffff',
    },
  ]
}

function paintKeyboard(device: Device): Stroke[] {
  const keys = layoutKeys(device)
  const [first] = keys
  if (first === undefined) return []
  const bottom = device.screen.height - NAVIGATION_BAR_HEIGHT
  const area = { left: 0, top: first.rect.top, right: device.screen.width, bottom }
  return [
    { kind: 'rect', rect: area, color: '#cfd8dc' },
    ...keys.flatMap(({ rect, label }): Stroke[] => {
      const keyRect = shrink(rect, 6)
      const x = Math.floor((rect.left + rect.right - countCharacters(label) * measureAdvance(50)) / 2)
      const y = Math.floor((rect.top + rect.bottom) / 2) - 18
      return [
        { kind: 'rect', rect: keyRect, color: '#ffffff' },
        { kind: 'text', x, y, text: label, size: 50, bold: false, color: '#212121', clip: keyRect },
      ]
    }),
  ]
}

function paintToasts(device: Device): Stroke[] {
  const nowMs = device.clock.now()
  const toast = device.toasts.findLast((entry) => entry.untilMs > nowMs)
  if (toast === undefined) return []
  const { width, height } = device.screen
  const lines = wrapText(toast.text, 42, width - 240)
  const wide = Math.max(...lines.map(countCharacters)) * measureAdvance(42) + 96
  const tall = lines.length * measureLineHeight(42) + 48
  const left = Math.floor((width - wide) / 2)
  const top = height - NAVIGATION_BAR_HEIGHT - 120 - tall
  const rect = { left, top, right: left + wide, bottom: top + tall }
  return [
    { kind: 'rect', rect, color: '#424242' },
    ...lines.map((text, index): Stroke => {
      const y = top + 30 + index * measureLineHeight(42)
      return {
        kind: 'text',
        x: left + 48,
        y,
        text,
        size: 42,
        bold: false,
        color: '#ffffff',
        clip: rect,
      }
    }),
  ]
}

function shrink(rect: Rect, by: number): Rect {
  return intersect(rect, {
    left: rect.left + by,
    top: rect.top + by,
    right: rect.right - by,
    bottom: rect.bottom - by,
  })
}
