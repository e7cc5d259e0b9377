import type { Device } from '../../model/device.ts'
import { layoutKeys, type PlacedKey } from '../../model/keyboard.ts'
import { contains, type Rect } from '../../model/view.ts'
import { NAVIGATION_BAR_HEIGHT, STATUS_BAR_HEIGHT } from '../../windows/frame.ts'
import { INK, INK_VARIANT, mixColors, pickInk } from './colors.ts'
import type { Fonts } from './fonts.ts'
import { findCenter, shrink } from './paint-control.ts'
import { CAP_HEIGHT } from './paint-text.ts'
import type { Shape } from './shape.ts'
import { breakLines } from './text-lines.ts'

/** Colors of the window behind the bars. Undefined over a wallpaper, which the bars do not cover. */
export interface BarColors {
  readonly top?: string | undefined
  readonly bottom?: string | undefined
  readonly wallpaper?: string | undefined
}

export function paintStatusBar(device: Device, fonts: Fonts, colors: BarColors): Shape[] {
  const { width } = device.screen
  const bar: Rect = { left: 0, top: 0, right: width, bottom: STATUS_BAR_HEIGHT }
  const color = pickInk(colors.top ?? colors.wallpaper ?? '#ffffff')
  const clock = new Date(device.clock.now()).toISOString().slice(11, 16)
  const label = (text: string, x: number): Shape => {
    return { kind: 'text', x, y: 57, text, size: 38, weight: 500, color, clip: bar }
  }
  const battery = `${device.battery.level}%`
  const batteryLeft = Math.round(width - 42 - fonts.measure(battery, 38, 500))
  const count = Math.min(3, device.notifications.length)
  const clockEnd = 42 + Math.round(fonts.measure(clock, 38, 500))
  const signs = Array.from({ length: count }, (_unused, at): Shape => {
    return { kind: 'icon', name: 'bell', x: clockEnd + 42 + at * 54, y: 43, size: 36, color }
  })
  return [
    ...(colors.top === undefined ? [] : [{ kind: 'box', rect: bar, fill: colors.top } as const]),
    label(clock, 42),
    ...signs,
    label(battery, batteryLeft),
    ...paintBattery(device, batteryLeft - 45, color),
    { kind: 'polygon', points: [batteryLeft - 108, 60, batteryLeft - 66, 60, batteryLeft - 66, 24], color },
    { kind: 'icon', name: 'wifi', x: batteryLeft - 138, y: 41, size: 46, color },
  ]
}

function paintBattery({ battery }: Device, left: number, color: string): Shape[] {
  const body = { left, top: 28, right: left + 27, bottom: 62 }
  const level = Math.round((body.bottom - body.top - 8) * (1 - battery.level / 100))
  return [
    { kind: 'box', rect: { left: left + 8, top: 22, right: left + 19, bottom: 28 }, fill: color },
    { kind: 'box', rect: body, corners: 6, stroke: { color, width: 4 } },
    { kind: 'box', rect: { ...shrink(body, 4), top: body.top + 4 + level }, corners: 2, fill: color },
  ]
}

export function paintNavigationBar(device: Device, colors: BarColors): Shape[] {
  const { width, height } = device.screen
  const top = height - NAVIGATION_BAR_HEIGHT
  const y = top + NAVIGATION_BAR_HEIGHT / 2
  const color = pickInk(colors.bottom ?? colors.wallpaper ?? '#ffffff')
  const [back, home, recents] = [width / 6, width / 2, (5 * width) / 6].map((x) => Math.round(x))
  const [x1, x2, x3] = [back ?? 0, home ?? 0, recents ?? 0]
  const square = { left: x3 - 21, top: y - 21, right: x3 + 21, bottom: y + 21 }
  const rect = { left: 0, top, right: width, bottom: height }
  return [
    ...(colors.bottom === undefined ? [] : [{ kind: 'box', rect, fill: colors.bottom } as const]),
    { kind: 'line', points: [x1 + 15, y - 24, x1 - 24, y, x1 + 15, y + 24, x1 + 15, y - 24], width: 6, color },
    { kind: 'circle', x: x2, y, radius: 25, stroke: { color, width: 6 } },
    { kind: 'box', rect: square, corners: 6, stroke: { color, width: 6 } },
  ]
}

export const KEYBOARD_COLOR = '#e6e8ef'
const KEY_PRESS_MS = 240

export function paintKeyboard(device: Device, fonts: Fonts, accent: string): Shape[] {
  const keys = layoutKeys(device)
  const [first] = keys
  if (first === undefined) return []
  const bottom = device.screen.height - NAVIGATION_BAR_HEIGHT
  const area = { left: 0, top: first.rect.top, right: device.screen.width, bottom }
  const keyShapes = keys.flatMap((key) => [
    ...paintKey(key, accent, isPressed(device, key.rect)),
    ...paintKeyLabel(key, fonts, accent),
  ])
  return [{ kind: 'box', rect: area, fill: KEYBOARD_COLOR }, ...keyShapes]
}

function isPressed({ ripple, clock }: Device, rect: Rect): boolean {
  if (ripple?.key !== 'keyboard' || clock.now() - ripple.atMs >= KEY_PRESS_MS) return false
  return contains(rect, ripple.x, ripple.y)
}

function paintKey({ cap, rect }: PlacedKey, accent: string, pressed: boolean): Shape[] {
  const box = { left: rect.left + 8, top: rect.top + 12, right: rect.right - 8, bottom: rect.bottom - 12 }
  const color = cap.kind === 'char' ? '#ffffff' : cap.kind === 'enter' ? accent : '#ccd2df'
  const fill = pressed ? mixColors(color, '#000000', 0.18) : color
  const corners = cap.kind === 'enter' ? 66 : 18
  const shade = { ...box, top: box.top + 4, bottom: box.bottom + 4 }
  return [
    { kind: 'box', rect: shade, corners, fill: '#b9bdc9' },
    { kind: 'box', rect: box, corners, fill },
  ]
}

function paintKeyLabel({ cap, label, rect }: PlacedKey, fonts: Fonts, accent: string): Shape[] {
  const { x, y } = findCenter(rect)
  if (cap.kind === 'delete') return [{ kind: 'icon', name: 'backspace', x, y, size: 60, color: INK }]
  if (cap.kind === 'enter') return [{ kind: 'icon', name: 'enter', x, y, size: 60, color: pickInk(accent) }]
  if (cap.kind === 'page' && label === '^') return [{ kind: 'icon', name: 'shift', x, y, size: 60, color: INK }]
  const size = Array.from(label).length > 1 ? 42 : 57
  const left = Math.round(x - fonts.measure(label, size, 400) / 2)
  const baseline = Math.round(y + (size * CAP_HEIGHT) / 2)
  const color = cap.kind === 'page' ? INK_VARIANT : INK
  return [{ kind: 'text', x: left, y: baseline, text: label, size, weight: 400, color, clip: rect }]
}

const TOAST_SIZE = 40

export function paintToasts(device: Device, fonts: Fonts): Shape[] {
  const nowMs = device.clock.now()
  const toast = device.toasts.findLast((entry) => entry.untilMs > nowMs)
  if (toast === undefined) return []
  const { width, height } = device.screen
  const lines = breakLines(fonts, toast.text, { size: TOAST_SIZE, weight: 400 }, width - 300)
  const lineHeight = Math.round(TOAST_SIZE * 1.25)
  const wide = Math.ceil(Math.max(...lines.map((line) => line.width))) + 132
  const tall = lines.length * lineHeight + 66
  const left = Math.floor((width - wide) / 2)
  const top = height - NAVIGATION_BAR_HEIGHT - 120 - tall
  const rect = { left, top, right: left + wide, bottom: top + tall }
  const texts = lines.map(({ text, width: measured }, index): Shape => {
    const y = top + 33 + index * lineHeight + 40
    const x = Math.round((width - measured) / 2)
    return { kind: 'text', x, y, text, size: TOAST_SIZE, weight: 400, color: '#ffffff', clip: rect }
  })
  return [{ kind: 'box', rect, corners: Math.min(75, tall / 2), fill: '#323236', elevation: 18 }, ...texts]
}
