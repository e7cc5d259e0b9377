import { Contacts, type PanelPoint } from './contacts.ts'
import type { TouchPanel } from './input-devices.ts'
import { type KernelEvent, parseKernelEvent } from './kernel-events.ts'
import { LineSplitter } from './line-splitter.ts'

/** One contact with the panel, from the first finger down to the last finger up. */
export interface Stroke {
  readonly kind: 'stroke'
  readonly startedUs: number
  readonly endedUs: number
  /** Path of the first finger. Empty if the panel did not report positions. */
  readonly path: readonly PanelPoint[]
  /** The largest number of simultaneous fingers. */
  readonly fingers: number
}

export interface KeyPress {
  readonly kind: 'key'
  readonly key: PersonKey
  readonly startedUs: number
}

/** `typing` is any key that writes or deletes. The key itself is never stored. */
export type PersonKey = 'back' | 'home' | 'recents' | 'volume_up' | 'volume_down' | 'power' | 'enter' | 'typing'

export type PanelInput = Stroke | KeyPress

/** Decodes the output of `getevent -lt` into strokes and key presses. */
export class PanelDecoder {
  readonly #lines = new LineSplitter()
  readonly #panel: TouchPanel
  readonly #contacts: Contacts
  readonly #keysDown = new Set<string>()
  #stroke: { startedUs: number; path: PanelPoint[]; fingers: number } | undefined

  constructor(panel: TouchPanel) {
    this.#panel = panel
    this.#contacts = new Contacts(panel)
  }

  /** Whether a finger or a key is down. */
  get isBusy(): boolean {
    return this.#stroke !== undefined || this.#keysDown.size > 0
  }

  push(piece: string): PanelInput[] {
    return this.#lines.push(piece).flatMap((pushLine) => this.line(pushLine))
  }

  /** Decodes one whole line. */
  line(line: string): PanelInput[] {
    const event = parseKernelEvent(line)
    if (event === undefined) return []
    this.#trackKey(event)
    const key = parseKey(event)
    if (key !== undefined) return [{ kind: 'key', key, startedUs: event.timeUs }]
    const isOtherDevice = event.device !== '' && event.device !== this.#panel.path
    return isOtherDevice ? [] : this.#touch(event)
  }

  #trackKey({ type, code, device, value }: KernelEvent): void {
    if (type !== 'EV_KEY' || !code.startsWith('KEY_')) return
    if (value === 0) this.#keysDown.delete(`${device} ${code}`)
    else this.#keysDown.add(`${device} ${code}`)
  }

  #touch(event: KernelEvent): PanelInput[] {
    const fingers = this.#contacts.push(event)
    if (fingers === undefined) return []
    if (fingers.count > 0) {
      this.#stroke ??= { startedUs: event.timeUs, path: [], fingers: 0 }
      this.#stroke.fingers = Math.max(this.#stroke.fingers, fingers.count)
      addPoint(this.#stroke.path, fingers.first)
      return []
    }
    const stroke = this.#stroke
    this.#stroke = undefined
    return stroke === undefined ? [] : [{ kind: 'stroke', ...stroke, endedUs: event.timeUs }]
  }
}

/** Of a longer stroke, only the first points and the last one are stored. */
const MAX_POINTS = 512

function addPoint(path: PanelPoint[], point: PanelPoint | undefined): void {
  if (point === undefined) return
  if (path.length >= MAX_POINTS) path.pop()
  path.push(point)
}

function parseKey({ type, code, value }: KernelEvent): PersonKey | undefined {
  if (type !== 'EV_KEY' || value !== 1) return undefined
  return NAMED_KEYS.get(code) ?? (TYPING_KEYS.test(code) ? 'typing' : undefined)
}

/** `KEY_HOME` is not listed: on a keyboard it moves to the start of the line. */
const NAMED_KEYS: ReadonlyMap<string, PersonKey> = new Map([
  ['KEY_BACK', 'back'],
  ['KEY_ESC', 'back'],
  ['KEY_HOMEPAGE', 'home'],
  ['KEY_APPSELECT', 'recents'],
  ['KEY_VOLUMEUP', 'volume_up'],
  ['KEY_VOLUMEDOWN', 'volume_down'],
  ['KEY_POWER', 'power'],
  ['KEY_ENTER', 'enter'],
  ['KEY_KPENTER', 'enter'],
])

const TYPING_KEYS =
  /^KEY_(?:[A-Z0-9]|KP\d|KPDOT|SPACE|DOT|COMMA|MINUS|EQUAL|SLASH|BACKSLASH|SEMICOLON|APOSTROPHE|GRAVE|LEFTBRACE|RIGHTBRACE|BACKSPACE|DELETE)$/
