import { Contacts, type PanelPoint } from './contacts.ts'
import type { TouchPanel } from './input-devices.ts'
import { type KernelEvent, parseKernelEvent } from './kernel-events.ts'
import { LineSplitter } from './line-splitter.ts'

/** Fingers on the panel, from the first one down to the last one up. */
export interface Stroke {
  readonly kind: 'stroke'
  readonly startedUs: number
  readonly endedUs: number
  /** Where the first finger went, in shares of the panel; empty when the panel did not tell. */
  readonly path: readonly PanelPoint[]
  /** The most fingers there were at once. */
  readonly fingers: number
}

export interface KeyPress {
  readonly kind: 'key'
  readonly key: PersonKey
  readonly startedUs: number
}

/** `typing` is any key that writes or deletes; which one is never kept. */
export type PersonKey =
  | 'back'
  | 'home'
  | 'recents'
  | 'volume_up'
  | 'volume_down'
  | 'power'
  | 'enter'
  | 'typing'

export type PanelInput = Stroke | KeyPress

/** Turns what `getevent -lt` prints, in pieces of any size, into strokes and key presses. */
export class PanelDecoder {
  readonly #lines = new LineSplitter()
  readonly #panel: TouchPanel
  readonly #contacts: Contacts
  readonly #held = new Set<string>()
  #stroke: { startedUs: number; path: PanelPoint[]; fingers: number } | undefined

  constructor(panel: TouchPanel) {
    this.#panel = panel
    this.#contacts = new Contacts(panel)
  }

  /** Whether a finger or a key is down now. */
  get busy(): boolean {
    return this.#stroke !== undefined || this.#held.size > 0
  }

  push(piece: string): PanelInput[] {
    return this.#lines.push(piece).flatMap((line) => this.line(line))
  }

  /** One whole line. */
  line(line: string): PanelInput[] {
    const event = parseKernelEvent(line)
    if (event === undefined) return []
    this.#hold(event)
    const key = keyOf(event)
    if (key !== undefined) return [{ kind: 'key', key, startedUs: event.timeUs }]
    const elsewhere = event.device !== '' && event.device !== this.#panel.path
    return elsewhere ? [] : this.#touch(event)
  }

  #hold({ type, code, device, value }: KernelEvent): void {
    if (type !== 'EV_KEY' || !code.startsWith('KEY_')) return
    if (value === 0) this.#held.delete(`${device} ${code}`)
    else this.#held.add(`${device} ${code}`)
  }

  #touch(event: KernelEvent): PanelInput[] {
    const fingers = this.#contacts.take(event)
    if (fingers === undefined) return []
    if (fingers.count > 0) {
      this.#stroke ??= { startedUs: event.timeUs, path: [], fingers: 0 }
      this.#stroke.fingers = Math.max(this.#stroke.fingers, fingers.count)
      follow(this.#stroke.path, fingers.first)
      return []
    }
    const stroke = this.#stroke
    this.#stroke = undefined
    return stroke === undefined ? [] : [{ kind: 'stroke', ...stroke, endedUs: event.timeUs }]
  }
}

/** A very long stroke keeps its beginning and its end. */
const MOST_POINTS = 512

function follow(path: PanelPoint[], point: PanelPoint | undefined): void {
  if (point === undefined) return
  if (path.length >= MOST_POINTS) path.pop()
  path.push(point)
}

function keyOf({ type, code, value }: KernelEvent): PersonKey | undefined {
  if (type !== 'EV_KEY' || value !== 1) return undefined
  return NAMED_KEYS.get(code) ?? (TYPING.test(code) ? 'typing' : undefined)
}

/** `KEY_HOME` is missing on purpose: on a keyboard it moves to the start of the line. */
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

const TYPING =
  /^KEY_(?:[A-Z0-9]|KP\d|KPDOT|SPACE|DOT|COMMA|MINUS|EQUAL|SLASH|BACKSLASH|SEMICOLON|APOSTROPHE|GRAVE|LEFTBRACE|RIGHTBRACE|BACKSPACE|DELETE)$/
