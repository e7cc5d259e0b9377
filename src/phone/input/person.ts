import type { Device } from '../model/device.ts'
import { readRotation, readUptimeMs } from '../model/device.ts'
import { applyGesture } from './gestures.ts'
import { pressKey } from './key-press.ts'
import { keyboardTop, findPage, layoutKeys, type KeyCap } from '../model/keyboard.ts'
import { parseKeyName, findKeyStroke, type KeyName } from '../model/keys.ts'
import { runDueTimers } from '../model/tasks.ts'
import { countCharacters } from '../model/text-metrics.ts'
import { BUTTONS, KEYBOARD, TOUCHSCREEN, type KernelEvent } from '../model/touch-panel.ts'

/** The person who uses the phone. `getevent` reports every touch and key press. */
export interface Person {
  touch(x: number, y: number, durationMs?: number): Promise<void>
  swipe(from: readonly [number, number], to: readonly [number, number], durationMs?: number): Promise<void>
  /** Rests on a point for a second, then moves to the other one. */
  drag(from: readonly [number, number], to: readonly [number, number]): Promise<void>
  /** Presses a hardware button or a key of an attached keyboard: `BACK`, `POWER`, `ENTER`, `A`. */
  typeKey(key: KeyName): Promise<void>
  /** Types on the soft keyboard. Throws when it is hidden or lacks a character. */
  typeText(text: string): Promise<void>
}

const TAP_MS = 80
const MOVE_EVERY_MS = 16
const MAX_MOVES = 60
const PRESSURE = 58
const HOLD_MS = 1000

export function createPerson(device: Device): Person {
  const finger = createFinger(device)
  const touch = async (x: number, y: number, durationMs = TAP_MS): Promise<void> => {
    finger.press(x, y)
    await device.clock.sleep(durationMs)
    finger.lift()
    applyGesture(device, { x1: x, y1: y, x2: x, y2: y, durationMs })
    runDueTimers(device)
  }
  return {
    touch,
    swipe: (from, to, durationMs = 300) => swipe(device, finger, { from, to, durationMs, holdMs: 0 }),
    drag: (from, to) => swipe(device, finger, { from, to, durationMs: 600, holdMs: HOLD_MS }),
    typeKey: (key) => typeKey(device, key),
    typeText: async (text) => {
      for (const char of text) {
        await showKeyboardPage(device, char, touch)
        await touchSoftKey(device, { kind: 'char', char }, touch)
      }
    },
  }
}

interface Movement {
  readonly from: readonly [number, number]
  readonly to: readonly [number, number]
  readonly durationMs: number
  /** Time for which the finger rests before it moves. */
  readonly holdMs: number
}

async function swipe(device: Device, finger: Finger, { from, to, durationMs, holdMs }: Movement): Promise<void> {
  const [x1, y1] = from
  const [x2, y2] = to
  finger.press(x1, y1)
  if (holdMs > 0) await device.clock.sleep(holdMs)
  const moves = Math.min(MAX_MOVES, Math.max(2, Math.round(durationMs / MOVE_EVERY_MS)))
  for (let move = 1; move <= moves; move += 1) {
    await device.clock.sleep(durationMs / moves)
    finger.move(x1 + ((x2 - x1) * move) / moves, y1 + ((y2 - y1) * move) / moves)
  }
  finger.lift()
  applyGesture(device, { x1, y1, x2, y2, durationMs: durationMs + holdMs, held: holdMs > 0 })
  runDueTimers(device)
}

interface Finger {
  press(x: number, y: number): void
  move(x: number, y: number): void
  lift(): void
}

interface Place {
  readonly x: number
  readonly y: number
}

/** Converts parts of the turned screen to parts of the panel. */
function toPanelPart(device: Device, { x, y }: Place): Place {
  switch (readRotation(device)) {
    case 0:
      return { x, y }
    case 1:
      return { x: 1 - y, y: x }
    case 2:
      return { x: 1 - x, y: 1 - y }
    case 3:
      return { x: y, y: 1 - x }
  }
}

/** The kernel reports only changed values: a second touch at the same X has no X event. */
function createFinger(device: Device): Finger {
  const last = new Map<string, number>()
  const axis = (code: string, value: number): void => {
    if (last.get(code) === value) return
    last.set(code, value)
    emit(device, TOUCHSCREEN, 'EV_ABS', code, value)
  }
  const place = (x: number, y: number): void => {
    const { axisMax } = device.panel
    const across = toPanelPart(device, { x: x / device.screen.width, y: y / device.screen.height })
    axis('ABS_MT_POSITION_X', Math.min(axisMax.x, Math.round(across.x * (axisMax.x + 1))))
    axis('ABS_MT_POSITION_Y', Math.min(axisMax.y, Math.round(across.y * (axisMax.y + 1))))
  }
  const report = (): void => emit(device, TOUCHSCREEN, 'EV_SYN', 'SYN_REPORT', 0)
  return {
    press: (x, y) => {
      axis('ABS_MT_TRACKING_ID', device.panel.nextTrackingId())
      emit(device, TOUCHSCREEN, 'EV_KEY', 'BTN_TOUCH', 1)
      place(x, y)
      axis('ABS_MT_PRESSURE', PRESSURE)
      report()
    },
    move: (x, y) => {
      place(x, y)
      report()
    },
    lift: () => {
      axis('ABS_MT_PRESSURE', 0)
      axis('ABS_MT_TRACKING_ID', 0xff_ff_ff_ff)
      emit(device, TOUCHSCREEN, 'EV_KEY', 'BTN_TOUCH', 0)
      report()
    },
  }
}

const HARDWARE_KEYS: Readonly<Record<KeyName, string>> = {
  BACK: 'KEY_BACK',
  HOME: 'KEY_HOMEPAGE',
  APP_SWITCH: 'KEY_APPSELECT',
  POWER: 'KEY_POWER',
  VOLUME_UP: 'KEY_VOLUMEUP',
  VOLUME_DOWN: 'KEY_VOLUMEDOWN',
}
const KERNEL_NAMES: Readonly<Record<KeyName, string>> = {
  DEL: 'KEY_BACKSPACE',
  ESCAPE: 'KEY_ESC',
  LEFT_BRACKET: 'KEY_LEFTBRACE',
  RIGHT_BRACKET: 'KEY_RIGHTBRACE',
  PERIOD: 'KEY_DOT',
  EQUALS: 'KEY_EQUAL',
}

async function typeKey(device: Device, name: KeyName): Promise<void> {
  const stroke = countCharacters(name) === 1 ? findKeyStroke(name) : undefined
  const key = stroke?.key ?? parseKeyName(name)
  const shift = stroke?.shift === true
  const source = Object.hasOwn(HARDWARE_KEYS, key) ? BUTTONS : KEYBOARD
  const code = HARDWARE_KEYS[key] ?? KERNEL_NAMES[key] ?? `KEY_${key}`
  const emitKey = (value: 0 | 1): void => {
    if (shift) emit(device, source, 'EV_KEY', 'KEY_LEFTSHIFT', value)
    emit(device, source, 'EV_KEY', code, value)
    emit(device, source, 'EV_SYN', 'SYN_REPORT', 0)
  }
  emitKey(1)
  await device.clock.sleep(TAP_MS)
  emitKey(0)
  pressKey(device, { key, shift })
  runDueTimers(device)
}

type Touch = (x: number, y: number) => Promise<void>

async function showKeyboardPage(device: Device, char: string, touch: Touch): Promise<void> {
  if (keyboardTop(device) === undefined) throw new Error('the soft keyboard is hidden')
  const target = findPage(char, device.keyboard.page)
  if (target === undefined) throw new Error(`the soft keyboard has no key for "${char}"`)
  if (device.keyboard.page === 'digits' && target !== 'digits') {
    await touchSoftKey(device, { kind: 'page', page: 'letters' }, touch)
  }
  const isLetters = (page: string): boolean => page === 'letters' || page === 'capitals'
  if (isLetters(device.keyboard.page) !== isLetters(target)) {
    const page = isLetters(target) ? 'letters' : 'symbols'
    await touchSoftKey(device, { kind: 'page', page }, touch)
  }
  if (device.keyboard.page !== target) await touchSoftKey(device, { kind: 'page', page: target }, touch)
}

async function touchSoftKey(device: Device, cap: KeyCap, touch: Touch): Promise<void> {
  const serialized = JSON.stringify(cap)
  const key = layoutKeys(device).find((placed) => JSON.stringify(placed.cap) === serialized)
  if (key === undefined) throw new Error(`the soft keyboard shows no key ${serialized}`)
  const { left, right, top, bottom } = key.rect
  await touch(Math.floor((left + right) / 2), Math.floor((top + bottom) / 2))
}

function emit(
  device: Device,
  source: string,
  type: KernelEvent['type'],
  ...[code, value]: [code: string, value: number]
): void {
  device.panel.emit({
    timeUs: Math.round(readUptimeMs(device) * 1000),
    device: source,
    type,
    code,
    value,
  })
}
