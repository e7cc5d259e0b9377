import { SLIDER_INSET } from '../../input/gestures.ts'
import { measureAdvance, glyphScale } from '../../model/text-metrics.ts'
import type { Rect, View } from '../../model/view.ts'
import type { Stroke } from './canvas.ts'

const OFF_COLOR = '#9e9e9e'
const TRACK_COLOR = '#cfcfcf'

/** Paints a control without its text. */
export function paintControl(view: View): Stroke[] {
  switch (view.style.shape) {
    case 'plain':
      return []
    case 'button':
      return [{ kind: 'rect', rect: inset(view, 6), color: view.enabled ? view.style.accent : '#e0e0e0' }]
    case 'chip':
      return [{ kind: 'rect', rect: inset(view, 9), color: view.style.isChosen === true ? '#c5cae9' : '#eeeeee' }]
    case 'scrim':
      return [{ kind: 'dim' }]
    case 'field':
      return paintField(view)
    case 'image':
      return paintImage(view)
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

function inset({ bounds, visibleBounds }: View, by: number): Rect {
  return {
    left: Math.max(visibleBounds.left, bounds.left + by),
    top: Math.max(visibleBounds.top, bounds.top + by),
    right: Math.min(visibleBounds.right, bounds.right - by),
    bottom: Math.min(visibleBounds.bottom, bounds.bottom - by),
  }
}

function paintField(view: View): Stroke[] {
  const { bounds, visibleBounds, focused, style } = view
  const line = { ...bounds, top: bounds.bottom - (focused ? 9 : 4) }
  const rect = { ...visibleBounds, top: Math.max(visibleBounds.top, line.top) }
  return [
    { kind: 'rect', rect: visibleBounds, color: '#f0f0f0' },
    { kind: 'rect', rect, color: focused ? style.accent : OFF_COLOR },
  ]
}

/** Paints a colored square with the first letter of the icon name. */
function paintImage(view: View): Stroke[] {
  const { bounds, visibleBounds, style } = view
  const letter = Array.from(style.icon ?? '')[0]?.toUpperCase() ?? ''
  const square: Stroke = { kind: 'rect', rect: inset(view, 12), color: style.accent }
  if (letter === '') return [square]
  const size = Math.max(10, Math.floor((bounds.bottom - bounds.top) / 2))
  const x = Math.floor((bounds.left + bounds.right - measureAdvance(size) + glyphScale(size)) / 2)
  const y = Math.floor((bounds.top + bounds.bottom) / 2) - Math.floor(3.5 * glyphScale(size))
  return [square, { kind: 'text', x, y, text: letter, size, bold: false, color: '#ffffff', clip: visibleBounds }]
}

function paintSwitch(view: View): Stroke[] {
  const { bounds, visibleBounds, checked, style } = view
  const middle = Math.floor((bounds.top + bounds.bottom) / 2)
  const right = bounds.right - 9
  const color = checked ? style.accent : OFF_COLOR
  const track = { left: right - 96, top: middle - 18, right, bottom: middle + 18 }
  const x = checked ? right - 27 : right - 69
  return [
    { kind: 'rect', rect: track, color: TRACK_COLOR },
    { kind: 'circle', x, y: middle, radius: 30, color, clip: visibleBounds },
  ]
}

function paintCheck(view: View): Stroke[] {
  const { bounds, visibleBounds, checked, style } = view
  const y = Math.floor((bounds.top + bounds.bottom) / 2)
  const x = bounds.left + 48
  const color = checked ? style.accent : OFF_COLOR
  if (style.shape === 'radio') {
    const rings: Stroke[] = [
      { kind: 'circle', x, y, radius: 28, color, clip: visibleBounds },
      { kind: 'circle', x, y, radius: 22, color: '#ffffff', clip: visibleBounds },
    ]
    return checked ? [...rings, { kind: 'circle', x, y, radius: 14, color, clip: visibleBounds }] : rings
  }
  const square = (half: number): Rect => ({
    left: x - half,
    top: y - half,
    right: x + half,
    bottom: y + half,
  })
  const box: Stroke[] = [{ kind: 'rect', rect: square(28), color }]
  return checked
    ? [
        ...box,
        {
          kind: 'text',
          x: x - 10,
          y: y - 18,
          text: '✓',
          size: 40,
          bold: true,
          color: '#ffffff',
          clip: visibleBounds,
        },
      ]
    : [...box, { kind: 'rect', rect: square(22), color: '#ffffff' }]
}

function paintSlider(view: View): Stroke[] {
  const { bounds, visibleBounds, style } = view
  const middle = Math.floor((bounds.top + bounds.bottom) / 2)
  const [left, right] = [bounds.left + SLIDER_INSET, bounds.right - SLIDER_INSET]
  const x = Math.round(left + (right - left) * (style.fraction ?? 0))
  return [
    {
      kind: 'rect',
      rect: { left, top: middle - 6, right, bottom: middle + 6 },
      color: TRACK_COLOR,
    },
    {
      kind: 'rect',
      rect: { left, top: middle - 6, right: x, bottom: middle + 6 },
      color: style.accent,
    },
    { kind: 'circle', x, y: middle, radius: 30, color: style.accent, clip: visibleBounds },
  ]
}

function paintProgress(view: View): Stroke[] {
  const { bounds, visibleBounds, style } = view
  if (style.fraction === undefined) {
    const [x, y] = [(bounds.left + bounds.right) >> 1, (bounds.top + bounds.bottom) >> 1]
    return [
      { kind: 'circle', x, y, radius: 54, color: style.accent, clip: visibleBounds },
      { kind: 'circle', x, y, radius: 40, color: '#fafafa', clip: visibleBounds },
    ]
  }
  const middle = (bounds.top + bounds.bottom) >> 1
  const end = Math.round(bounds.left + (bounds.right - bounds.left) * style.fraction)
  const bar = { left: bounds.left, top: middle - 8, right: bounds.right, bottom: middle + 8 }
  return [
    { kind: 'rect', rect: bar, color: TRACK_COLOR },
    { kind: 'rect', rect: { ...bar, right: end }, color: style.accent },
  ]
}
