import type { Device } from './device.ts'
import { uptimeMs } from './device.ts'
import { performGesture } from './gestures.ts'
import { pressKey } from './key-press.ts'
import { keyboardTop, pageOf, placedKeys, type KeyCap } from './keyboard.ts'
import { keyNameOf, strokeOf, type KeyName } from './keys.ts'
import { settle } from './tasks.ts'
import { lengthOf } from './text-metrics.ts'
import { BUTTONS, KEYBOARD, TOUCHSCREEN, type KernelEvent } from './touch-panel.ts'

/** Somebody holding the phone. Everything done here is seen by `getevent`. */
export interface Person {
  touch(x: number, y: number, durationMs?: number): Promise<void>
  swipe(
    from: readonly [number, number],
    to: readonly [number, number],
    durationMs?: number,
  ): Promise<void>
  /** A key of the phone's edge or of an attached keyboard: `BACK`, `POWER`, `ENTER`, `A`. */
  typeKey(key: KeyName): Promise<void>
  /** Types on the soft keyboard, key by key. Throws when it is not up or lacks a character. */
  typeText(text: string): Promise<void>
}

const TAP_MS = 80
const MOVE_EVERY_MS = 16
const MOST_MOVES = 60
const PRESSURE = 58

export function createPerson(device: Device): Person {
  const finger = createFinger(device)
  const touch = async (x: number, y: number, durationMs = TAP_MS): Promise<void> => {
    finger.press(x, y)
    await device.clock.sleep(durationMs)
    finger.lift()
    performGesture(device, { x1: x, y1: y, x2: x, y2: y, durationMs })
    settle(device)
  }
  return {
    touch,
    swipe: async (from, to, durationMs = 300) => {
      const [x1, y1] = from
      const [x2, y2] = to
      finger.press(x1, y1)
      const moves = Math.min(MOST_MOVES, Math.max(2, Math.round(durationMs / MOVE_EVERY_MS)))
      for (let move = 1; move <= moves; move += 1) {
        await device.clock.sleep(durationMs / moves)
        finger.move(x1 + ((x2 - x1) * move) / moves, y1 + ((y2 - y1) * move) / moves)
      }
      finger.lift()
      performGesture(device, { x1, y1, x2, y2, durationMs })
      settle(device)
    },
    typeKey: (key) => typeKey(device, key),
    typeText: async (text) => {
      for (const char of text) {
        await turnPage(device, char, touch)
        await touchKey(device, { kind: 'char', char }, touch)
      }
    },
  }
}

interface Finger {
  press(x: number, y: number): void
  move(x: number, y: number): void
  lift(): void
}

/** The kernel passes on only what changed, so a second touch at the same X has no X line. */
function createFinger(device: Device): Finger {
  const last = new Map<string, number>()
  const axis = (code: string, value: number): void => {
    if (last.get(code) === value) return
    last.set(code, value)
    emit(device, TOUCHSCREEN, 'EV_ABS', code, value)
  }
  const place = (x: number, y: number): void => {
    const { axisMax } = device.panel
    axis('ABS_MT_POSITION_X', Math.round((x * (axisMax.x + 1)) / device.screen.width))
    axis('ABS_MT_POSITION_Y', Math.round((y * (axisMax.y + 1)) / device.screen.height))
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

const EDGE_KEYS: Readonly<Record<KeyName, string>> = {
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

async function typeKey(device: Device, word: KeyName): Promise<void> {
  const stroke = lengthOf(word) === 1 ? strokeOf(word) : undefined
  const key = stroke?.key ?? keyNameOf(word)
  const shift = stroke?.shift === true
  const source = Object.hasOwn(EDGE_KEYS, key) ? BUTTONS : KEYBOARD
  const code = EDGE_KEYS[key] ?? KERNEL_NAMES[key] ?? `KEY_${key}`
  const turn = (value: 0 | 1): void => {
    if (shift) emit(device, source, 'EV_KEY', 'KEY_LEFTSHIFT', value)
    emit(device, source, 'EV_KEY', code, value)
    emit(device, source, 'EV_SYN', 'SYN_REPORT', 0)
  }
  turn(1)
  await device.clock.sleep(TAP_MS)
  turn(0)
  pressKey(device, { key, shift })
  settle(device)
}

type Touch = (x: number, y: number) => Promise<void>

async function turnPage(device: Device, char: string, touch: Touch): Promise<void> {
  if (keyboardTop(device) === undefined) throw new Error('the soft keyboard is not up')
  const wanted = pageOf(char, device.keyboard.page)
  if (wanted === undefined) throw new Error(`the soft keyboard has no "${char}"`)
  const isLetters = (page: string): boolean => page === 'letters' || page === 'capitals'
  if (isLetters(device.keyboard.page) !== isLetters(wanted)) {
    const page = isLetters(wanted) ? 'letters' : 'symbols'
    await touchKey(device, { kind: 'page', page }, touch)
  }
  if (device.keyboard.page !== wanted) await touchKey(device, { kind: 'page', page: wanted }, touch)
}

async function touchKey(device: Device, cap: KeyCap, touch: Touch): Promise<void> {
  const wanted = JSON.stringify(cap)
  const key = placedKeys(device).find((placed) => JSON.stringify(placed.cap) === wanted)
  if (key === undefined) throw new Error(`the soft keyboard shows no key ${wanted}`)
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
    timeUs: Math.round(uptimeMs(device) * 1000),
    device: source,
    type,
    code,
    value,
  })
}
