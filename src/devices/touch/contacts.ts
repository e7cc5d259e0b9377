import type { AxisRange, TouchPanel } from './input-devices.ts'
import type { KernelEvent } from './kernel-events.ts'

/** A place on the panel in shares of its sides: 0 at the left and top, below 1 at the far edges. */
export interface PanelPoint {
  readonly x: number
  readonly y: number
}

/** The fingers on the panel after one report. */
export interface Fingers {
  readonly count: number
  /** Where the finger that came first is; absent when the panel has not told. */
  readonly first: PanelPoint | undefined
}

interface Contact {
  x?: number
  y?: number
  down: boolean
}

/**
 * Follows the fingers on a panel. There are three dialects: slots that keep what they were last told
 * (B), all contacts listed anew in each report (A), and a single point with a button. A panel is taken
 * to speak B until it closes a contact the way only A does.
 */
export class Contacts {
  readonly #panel: TouchPanel
  #slots = new Map<number, Contact>()
  #slot = 0
  #firstSlot: number | undefined
  #listed: Contact[] | undefined
  #fresh: Contact = { down: true }
  #button: boolean | undefined
  #last: PanelPoint | undefined
  #lost = false

  constructor(panel: TouchPanel) {
    this.#panel = panel
  }

  /** Tells how the fingers stand when the event closes a report. */
  take({ type, code, value }: KernelEvent): Fingers | undefined {
    if (type === 'EV_ABS') this.#axis(code, value)
    else if (type === 'EV_KEY' && code === 'BTN_TOUCH') this.#button = value !== 0
    else if (type === 'EV_SYN') return this.#sync(code)
    return undefined
  }

  #axis(code: string, value: number): void {
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
        this.#fresh.x = value
        return
      case this.#panel.multiTouch ? 'ABS_MT_POSITION_Y' : 'ABS_Y':
        contact.y = value
        this.#fresh.y = value
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
      if (this.#fresh.x !== undefined || this.#fresh.y !== undefined) this.#listed.push(this.#fresh)
      this.#fresh = { down: true }
    } else if (code === 'SYN_DROPPED') {
      this.#lost = true
    } else if (code === 'SYN_REPORT') {
      return this.#report()
    }
    return undefined
  }

  #report(): Fingers | undefined {
    // The report in which the kernel lost something is not to be trusted.
    if (this.#lost) {
      this.#lost = false
      return undefined
    }
    if (this.#button === false) for (const slot of this.#slots.values()) slot.down = false
    const contacts = this.#down()
    if (this.#listed !== undefined) this.#listed = []
    this.#fresh = { down: true }
    const first = contacts.length === 0 ? undefined : this.#first(contacts)
    this.#last = first ?? (contacts.length === 0 ? undefined : this.#last)
    return { count: contacts.length, first }
  }

  #down(): readonly Contact[] {
    if (this.#listed !== undefined) return this.#listed
    if (!this.#panel.multiTouch) return this.#button === true ? [this.#current()] : []
    const down = [...this.#slots].filter(([, { down }]) => down)
    if (down.length === 0) this.#firstSlot = undefined
    this.#firstSlot ??= down[0]?.[0]
    return down.map(([, contact]) => contact)
  }

  #first(contacts: readonly Contact[]): PanelPoint | undefined {
    if (this.#listed === undefined) {
      const slot = this.#panel.multiTouch ? (this.#firstSlot ?? 0) : this.#slot
      const contact = this.#slots.get(slot)
      return contact?.down === false && this.#panel.multiTouch ? undefined : this.#placed(contact)
    }
    const points = contacts.flatMap((contact) => this.#placed(contact) ?? [])
    return nearest(points, this.#last) ?? this.#last
  }

  #placed(contact: Contact | undefined): PanelPoint | undefined {
    if (contact?.x === undefined || contact.y === undefined) return undefined
    return { x: share(contact.x, this.#panel.x), y: share(contact.y, this.#panel.y) }
  }
}

function share(value: number, { min, max }: AxisRange): number {
  return (Math.min(max, Math.max(min, value)) - min) / (max - min + 1)
}

/** Lists name no fingers: the one nearest to where the first was is the first. */
function nearest(
  points: readonly PanelPoint[],
  to: PanelPoint | undefined,
): PanelPoint | undefined {
  if (to === undefined) return points[0]
  const distance = ({ x, y }: PanelPoint) => Math.hypot(x - to.x, y - to.y)
  return points.toSorted((a, b) => distance(a) - distance(b))[0]
}
