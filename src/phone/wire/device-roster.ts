import type { PhoneHost } from '../host/host.ts'
import { FaultSwitch } from './faults.ts'

export type DeviceState = 'device' | 'offline' | 'unauthorized'

/** One phone as the adb server knows it. */
export interface RosterEntry {
  readonly phone: PhoneHost
  readonly transportId: number
  readonly faults: FaultSwitch
  readonly state: DeviceState
  /** The state trackers were told; see `setState`. */
  readonly toldState: DeviceState
  /** The banner is known from the first handshake on, also while the phone is away. */
  readonly met: boolean
  /** The open service conversations with this phone. */
  readonly streams: Set<{ close(): void }>
  /** Ends them all: what every client of a phone notices when the phone goes away. */
  lose(): void
}

/** How a client names the phone it wants. */
export type Selector =
  | { readonly by: 'serial'; readonly serial: string }
  | { readonly by: 'id'; readonly id: number }
  | { readonly by: 'any' | 'usb' | 'local' }

/** The phones of an adb server face, in the order they came. */
export class DeviceRoster {
  private readonly entries = new Map<string, Entry>()
  private readonly listeners = new Set<() => void>()
  private readonly faults: FaultSwitch
  private lastTransportId = 0

  constructor(faults: FaultSwitch) {
    this.faults = faults
  }

  add(phone: PhoneHost): void {
    if (this.entries.has(phone.serial)) throw new Error(`serial ${phone.serial} is taken`)
    this.lastTransportId += 1
    const entry = new Entry(phone, this.lastTransportId, new FaultSwitch(this.faults))
    entry.stopListening = entry.faults.onChange(() => this.changed(entry))
    this.entries.set(phone.serial, entry)
    this.changed(entry)
  }

  remove(serial: string): void {
    const entry = this.require(serial)
    entry.stopListening()
    this.entries.delete(serial)
    entry.given = 'offline'
    this.changed(entry)
  }

  /** With `quiet`, clients that track the list are not told before the next change. */
  setState(serial: string, state: DeviceState, quiet = false): void {
    const entry = this.require(serial)
    entry.given = state
    this.changed(entry, quiet)
  }

  require(serial: string): Entry {
    const entry = this.entries.get(serial)
    if (entry === undefined) throw new Error(`no phone has the serial ${serial}`)
    return entry
  }

  all(): readonly RosterEntry[] {
    return [...this.entries.values()]
  }

  /** The one phone a selector means, or the words adb uses when there is not exactly one. */
  select(selector: Selector): RosterEntry | string {
    if (selector.by === 'serial') {
      return this.entries.get(selector.serial) ?? `device '${selector.serial}' not found`
    }
    if (selector.by === 'id') {
      const found = this.all().find((entry) => entry.transportId === selector.id)
      return found ?? `no device with transport id '${selector.id}'`
    }
    const { none, many } = selectorWords[selector.by]
    const candidates = selector.by === 'usb' ? [] : this.all()
    if (candidates.length > 1) return many
    return candidates[0] ?? none
  }

  /** Calls back after phones came, went or changed state. */
  onChange(listener: () => void): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  private changed(entry: Entry, quiet = false): void {
    if (entry.state === 'device') entry.met = true
    else entry.lose()
    if (!quiet) entry.toldState = entry.state
    for (const listener of this.listeners) listener()
  }
}

export interface ListForm {
  /** With product, model, device and transport id, as `host:devices-l`. */
  readonly long: boolean
  /** As trackers are told, not as things are. */
  readonly told: boolean
}

export function deviceList(roster: DeviceRoster, { long, told }: ListForm): string {
  const line = (entry: RosterEntry) => {
    const state = told ? entry.toldState : entry.state
    return long ? longLine(entry, state) : `${entry.phone.serial}\t${state}`
  }
  return roster
    .all()
    .toSorted((a, b) => (a.phone.serial < b.phone.serial ? -1 : 1))
    .map((entry) => `${line(entry)}\n`)
    .join('')
}

/** Why a client may not talk to this phone now, in adb's words; undefined when it may. */
export function obstacle(entry: RosterEntry): string | undefined {
  if (entry.state === 'offline') return 'device offline'
  return entry.state === 'unauthorized' ? unauthorizedText : undefined
}

class Entry implements RosterEntry {
  readonly phone: PhoneHost
  readonly transportId: number
  readonly faults: FaultSwitch
  readonly streams = new Set<{ close(): void }>()
  given: DeviceState = 'device'
  toldState: DeviceState = 'device'
  met = false
  stopListening: () => void = () => {}

  constructor(phone: PhoneHost, transportId: number, faults: FaultSwitch) {
    this.phone = phone
    this.transportId = transportId
    this.faults = faults
  }

  get state(): DeviceState {
    const { muteConnect, unauthorized } = this.faults.current
    if (muteConnect) return 'offline'
    return unauthorized ? 'unauthorized' : this.given
  }

  lose(): void {
    for (const stream of this.streams) stream.close()
  }
}

// Simulated phones count as TCP devices, which adb calls local.
const selectorWords = {
  any: { none: 'no devices/emulators found', many: 'more than one device/emulator' },
  usb: { none: 'no devices found', many: 'more than one device' },
  local: { none: 'no emulators found', many: 'more than one emulator' },
}

const unauthorizedText = `device unauthorized.
This adb server's $ADB_VENDOR_KEYS is not set
Try 'adb kill-server' if that seems wrong.
Otherwise check for a confirmation dialog on your device.`

function longLine(entry: RosterEntry, state: DeviceState): string {
  const { product, model, device } = entry.phone.banner
  const words = [`${entry.phone.serial.padEnd(22)} ${state}`]
  if (entry.met) {
    words.push(`product:${product}`, `model:${model.replaceAll(/[^A-Za-z0-9]/g, '_')}`)
    words.push(`device:${device}`)
  }
  words.push(`transport_id:${entry.transportId}`)
  return words.join(' ')
}
