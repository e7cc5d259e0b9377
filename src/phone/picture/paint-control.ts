import { SLIDER_INSET } from '../model/gestures.ts'
import { advanceOf, glyphScale } from '../model/text-metrics.ts'
import type { Rect, View } from '../model/view.ts'
import type { Stroke } from './canvas.ts'

const OFF = '#9e9e9e'
const TRACK = '#cfcfcf'

/** The body of a control, without its text. */
export function paintControl(view: View): Stroke[] {
  switch (view.look.shape) {
    case 'plain':
      return []
    case 'button':
      return [
        { kind: 'rect', rect: inset(view, 6), color: view.enabled ? view.look.accent : '#e0e0e0' },
      ]
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

function inset({ bounds, shown }: View, by: number): Rect {
  return {
    left: Math.max(shown.left, bounds.left + by),
    top: Math.max(shown.top, bounds.top + by),
    right: Math.min(shown.right, bounds.right - by),
    bottom: Math.min(shown.bottom, bounds.bottom - by),
  }
}

function paintField(view: View): Stroke[] {
  const { bounds, shown, focused, look } = view
  const line = { ...bounds, top: bounds.bottom - (focused ? 9 : 4) }
  const rect = { ...shown, top: Math.max(shown.top, line.top) }
  return [
    { kind: 'rect', rect: shown, color: '#f0f0f0' },
    { kind: 'rect', rect, color: focused ? look.accent : OFF },
  ]
}

/** A coloured square with the first letter of what it stands for. */
function paintImage(view: View): Stroke[] {
  const { bounds, shown, look } = view
  const letter = Array.from(look.icon ?? '')[0]?.toUpperCase() ?? ''
  const face: Stroke = { kind: 'rect', rect: inset(view, 12), color: look.accent }
  if (letter === '') return [face]
  const size = Math.max(10, Math.floor((bounds.bottom - bounds.top) / 2))
  const x = Math.floor((bounds.left + bounds.right - advanceOf(size) + glyphScale(size)) / 2)
  const y = Math.floor((bounds.top + bounds.bottom) / 2) - Math.floor(3.5 * glyphScale(size))
  return [
    face,
    { kind: 'text', x, y, text: letter, size, bold: false, color: '#ffffff', clip: shown },
  ]
}

function paintSwitch(view: View): Stroke[] {
  const { bounds, shown, checked, look } = view
  const middle = Math.floor((bounds.top + bounds.bottom) / 2)
  const right = bounds.right - 9
  const color = checked ? look.accent : OFF
  const track = { left: right - 96, top: middle - 18, right, bottom: middle + 18 }
  const x = checked ? right - 27 : right - 69
  return [
    { kind: 'rect', rect: track, color: TRACK },
    { kind: 'circle', x, y: middle, radius: 30, color, clip: shown },
  ]
}

function paintCheck(view: View): Stroke[] {
  const { bounds, shown, checked, look } = view
  const y = Math.floor((bounds.top + bounds.bottom) / 2)
  const x = bounds.left + 48
  const color = checked ? look.accent : OFF
  if (look.shape === 'radio') {
    const rings: Stroke[] = [
      { kind: 'circle', x, y, radius: 28, color, clip: shown },
      { kind: 'circle', x, y, radius: 22, color: '#ffffff', clip: shown },
    ]
    return checked ? [...rings, { kind: 'circle', x, y, radius: 14, color, clip: shown }] : rings
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
          clip: shown,
        },
      ]
    : [...box, { kind: 'rect', rect: square(22), color: '#ffffff' }]
}

function paintSlider(view: View): Stroke[] {
  const { bounds, shown, look } = view
  const middle = Math.floor((bounds.top + bounds.bottom) / 2)
  const [left, right] = [bounds.left + SLIDER_INSET, bounds.right - SLIDER_INSET]
  const x = Math.round(left + (right - left) * (look.fraction ?? 0))
  return [
    { kind: 'rect', rect: { left, top: middle - 6, right, bottom: middle + 6 }, color: TRACK },
    {
      kind: 'rect',
      rect: { left, top: middle - 6, right: x, bottom: middle + 6 },
      color: look.accent,
    },
    { kind: 'circle', x, y: middle, radius: 30, color: look.accent, clip: shown },
  ]
}

function paintProgress(view: View): Stroke[] {
  const { bounds, shown, look } = view
  if (look.fraction === undefined) {
    const [x, y] = [(bounds.left + bounds.right) >> 1, (bounds.top + bounds.bottom) >> 1]
    return [
      { kind: 'circle', x, y, radius: 54, color: look.accent, clip: shown },
      { kind: 'circle', x, y, radius: 40, color: '#fafafa', clip: shown },
    ]
  }
  const middle = (bounds.top + bounds.bottom) >> 1
  const end = Math.round(bounds.left + (bounds.right - bounds.left) * look.fraction)
  const bar = { left: bounds.left, top: middle - 8, right: bounds.right, bottom: middle + 8 }
  return [
    { kind: 'rect', rect: bar, color: TRACK },
    { kind: 'rect', rect: { ...bar, right: end }, color: look.accent },
  ]
}
