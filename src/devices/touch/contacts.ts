import type { AxisRange, TouchPanel } from './input-devices.ts'
import type { KernelEvent } from './kernel-events.ts'

/** A point on the panel as shares of its sides: 0 at the left and top, below 1 at the far edges. */
export interface PanelPoint {
  readonly x: number
  readonly y: number
}

/** The fingers on the panel after one report. */
export interface Fingers {
  readonly count: number
  /** Position of the finger that came down first. Absent if the panel did not report it. */
  readonly first: PanelPoint | undefined
}

interface Contact {
  x?: number
  y?: number
  down: boolean
}

/**
 * Follows the fingers on a panel. There are three protocols: slots that keep their last values (B), a list
 * of all contacts in each report (A), and a single point with a button. A panel counts as B until it sends
 * an event that only A has.
 */
export class Contacts {
  readonly #panel: TouchPanel
  #slots = new Map<number, Contact>()
  #slot = 0
  #firstSlot: number | undefined
  #listed: Contact[] | undefined
  #listedNext: Contact = { down: true }
  #button: boolean | undefined
  #last: PanelPoint | undefined
  #dropped = false

  constructor(panel: TouchPanel) {
    this.#panel = panel
  }

  /** Returns the fingers if the event closes a report. */
  push({ type, code, value }: KernelEvent): Fingers | undefined {
    if (type === 'EV_ABS') this.#setAxis(code, value)
    else if (type === 'EV_KEY' && code === 'BTN_TOUCH') this.#button = value !== 0
    else if (type === 'EV_SYN') return this.#sync(code)
    return undefined
  }

  #setAxis(code: string, value: number): void {
    const contact = this.#current()
    switch (code) {
      case 'ABS_MT_SLOT':
        this.#slot = value
        return
      case 'ABS_MT_TRACKING_ID':
        contact.down = value >= 0
        return
      case this.#panel.multiTouch ? 'ABS_MT_POSITION_X' : 'ABS_X':
        contact.x = value
        this.#listedNext.x = value
        return
      case this.#panel.multiTouch ? 'ABS_MT_POSITION_Y' : 'ABS_Y':
        contact.y = value
        this.#listedNext.y = value
    }
  }

  #current(): Contact {
    const known = this.#slots.get(this.#slot)
    if (known !== undefined) return known
    const contact = { down: false }
    this.#slots.set(this.#slot, contact)
    return contact
  }

  #sync(code: string): Fingers | undefined {
    if (code === 'SYN_MT_REPORT') {
      this.#listed ??= []
      if (this.#listedNext.x !== undefined || this.#listedNext.y !== undefined) this.#listed.push(this.#listedNext)
      this.#listedNext = { down: true }
    } else if (code === 'SYN_DROPPED') {
      this.#dropped = true
    } else if (code === 'SYN_REPORT') {
      return this.#report()
    }
    return undefined
  }

  #report(): Fingers | undefined {
    // The kernel dropped events, so this report is incomplete.
    if (this.#dropped) {
      this.#dropped = false
      return undefined
    }
    if (this.#button === false) for (const slot of this.#slots.values()) slot.down = false
    const contacts = this.#listDown()
    if (this.#listed !== undefined) this.#listed = []
    this.#listedNext = { down: true }
    const first = contacts.length === 0 ? undefined : this.#findFirst(contacts)
    this.#last = first ?? (contacts.length === 0 ? undefined : this.#last)
    return { count: contacts.length, first }
  }

  #listDown(): readonly Contact[] {
    if (this.#listed !== undefined) return this.#listed
    if (!this.#panel.multiTouch) return this.#button === true ? [this.#current()] : []
    const down = [...this.#slots].filter(([, { down }]) => down)
    if (down.length === 0) this.#firstSlot = undefined
    this.#firstSlot ??= down[0]?.[0]
    return down.map(([, contact]) => contact)
  }

  #findFirst(contacts: readonly Contact[]): PanelPoint | undefined {
    if (this.#listed === undefined) {
      const slot = this.#panel.multiTouch ? (this.#firstSlot ?? 0) : this.#slot
      const contact = this.#slots.get(slot)
      return contact?.down === false && this.#panel.multiTouch ? undefined : this.#toPoint(contact)
    }
    const points = contacts.flatMap((contact) => this.#toPoint(contact) ?? [])
    return findNearest(points, this.#last) ?? this.#last
  }

  #toPoint(contact: Contact | undefined): PanelPoint | undefined {
    if (contact?.x === undefined || contact.y === undefined) return undefined
    return { x: toShare(contact.x, this.#panel.x), y: toShare(contact.y, this.#panel.y) }
  }
}

function toShare(value: number, { min, max }: AxisRange): number {
  return (Math.min(max, Math.max(min, value)) - min) / (max - min + 1)
}

/** Protocol A has no finger ids: the contact nearest to the last position is the first finger. */
function findNearest(points: readonly PanelPoint[], to: PanelPoint | undefined): PanelPoint | undefined {
  if (to === undefined) return points[0]
  const distance = ({ x, y }: PanelPoint) => Math.hypot(x - to.x, y - to.y)
  return points.toSorted((a, b) => distance(a) - distance(b))[0]
}
