import type { TouchPanel } from '../../../src/devices/touch/input-devices.ts'

export const PANEL_PATH = '/dev/input/event2'

export const PANEL: TouchPanel = {
  path: PANEL_PATH,
  x: { min: 0, max: 4095 },
  y: { min: 0, max: 8191 },
  multiTouch: true,
}

export type Dialect = 'slots' | 'listed' | 'single'

/** Where one finger goes, in units of the panel. */
export type FingerPath = readonly (readonly [x: number, y: number])[]

/**
 * Prints what `getevent -lt` prints while fingers draw on a panel, the way each kind of driver does it.
 * All fingers come down in the first report and leave in the last.
 */
export class PanelScript {
  readonly lines: string[] = [
    'add device 1: /dev/input/event2',
    '  name:     "panel"',
    'could not get driver version for /dev/input/mouse0, Not a typewriter',
  ]
  readonly #dialect: Dialect
  readonly #slots = new Map<number, readonly [number, number]>()
  #slot = 0
  #trackingId = 0
  #timeUs = 5_000_000

  constructor(dialect: Dialect) {
    this.#dialect = dialect
  }

  get timeUs(): number {
    return this.#timeUs
  }

  wait(us: number): void {
    this.#timeUs += us
  }

  line(type: string, code: string, value: number | string, device = PANEL_PATH): void {
    const shown = typeof value === 'string' ? value : (value >>> 0).toString(16).padStart(8, '0')
    const seconds = String(Math.floor(this.#timeUs / 1_000_000)).padStart(8)
    const micros = String(this.#timeUs % 1_000_000).padStart(6, '0')
    const words = `${type.padEnd(12)} ${code.padEnd(20)} ${shown.padEnd(20)}`
    this.lines.push(`[${seconds}.${micros}] ${device}: ${words}`)
  }

  key(code: string, device = '/dev/input/event0'): void {
    this.line('EV_KEY', code, 'DOWN', device)
    this.line('EV_SYN', 'SYN_REPORT', 0, device)
    this.wait(60_000)
    this.line('EV_KEY', code, 'UP', device)
    this.line('EV_SYN', 'SYN_REPORT', 0, device)
  }

  draw(fingers: readonly FingerPath[], stepUs: number): void {
    const reports = Math.max(...fingers.map((path) => path.length))
    for (let report = 0; report < reports; report += 1) {
      const points = fingers.flatMap((path) => path.slice(0, report + 1).slice(-1))
      this.#report(points, report === 0)
      this.wait(stepUs)
    }
    this.#lift(fingers.length)
  }

  #report(points: readonly (readonly [number, number])[], first: boolean): void {
    if (this.#dialect === 'slots') points.forEach((point, slot) => this.#inSlot(slot, point, first))
    if (first && this.#dialect !== 'listed') this.line('EV_KEY', 'BTN_TOUCH', 'DOWN')
    if (this.#dialect === 'listed') points.forEach((point) => this.#listed(point))
    if (this.#dialect === 'single') this.#axes('ABS_X', 'ABS_Y', points[0] ?? [0, 0])
    this.line('EV_SYN', 'SYN_REPORT', 0)
  }

  #inSlot(slot: number, point: readonly [number, number], first: boolean): void {
    if (slot !== this.#slot) this.line('EV_ABS', 'ABS_MT_SLOT', slot)
    this.#slot = slot
    if (first) this.line('EV_ABS', 'ABS_MT_TRACKING_ID', (this.#trackingId += 1))
    this.#axes('ABS_MT_POSITION_X', 'ABS_MT_POSITION_Y', point, slot)
  }

  /** The kernel passes on only what changed. */
  #axes(across: string, down: string, [x, y]: readonly [number, number], slot = 0): void {
    const last = this.#slots.get(slot)
    if (last?.[0] !== x) this.line('EV_ABS', across, x)
    if (last?.[1] !== y) this.line('EV_ABS', down, y)
    this.#slots.set(slot, [x, y])
  }

  #listed([x, y]: readonly [number, number]): void {
    this.line('EV_ABS', 'ABS_MT_POSITION_X', x)
    this.line('EV_ABS', 'ABS_MT_POSITION_Y', y)
    this.line('EV_SYN', 'SYN_MT_REPORT', 0)
  }

  #lift(fingers: number): void {
    if (this.#dialect === 'slots') {
      for (let slot = 0; slot < fingers; slot += 1) {
        if (slot !== this.#slot) this.line('EV_ABS', 'ABS_MT_SLOT', slot)
        this.#slot = slot
        this.line('EV_ABS', 'ABS_MT_TRACKING_ID', -1)
      }
    }
    if (this.#dialect === 'listed') this.line('EV_SYN', 'SYN_MT_REPORT', 0)
    else this.line('EV_KEY', 'BTN_TOUCH', 'UP')
    this.line('EV_SYN', 'SYN_REPORT', 0)
  }
}
