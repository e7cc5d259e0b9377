import type { PhoneHost } from '../host/host.ts'
import { FaultSwitch } from './faults.ts'

export type DeviceState = 'device' | 'offline' | 'unauthorized'

/** One phone of the adb server. */
export interface RosterEntry {
  readonly phone: PhoneHost
  readonly transportId: number
  readonly faults: FaultSwitch
  readonly state: DeviceState
  /** The state last sent to tracking clients; see `setState`. */
  readonly announcedState: DeviceState
  /** True after the first handshake, also while the phone is offline. */
  readonly bannerKnown: boolean
  /** Open service streams of this phone. */
  readonly streams: Set<{ close(): void }>
  /** Closes all service streams, as when the phone is lost. */
  closeStreams(): void
}

/** How a client selects a phone. */
export type Selector =
  | { readonly by: 'serial'; readonly serial: string }
  | { readonly by: 'id'; readonly id: number }
  | { readonly by: 'any' | 'usb' | 'local' }

/** The phones of an adb server, in the order they were added. */
export class DeviceRoster {
  private readonly entries = new Map<string, Entry>()
  private readonly listeners = new Set<() => void>()
  private readonly faults: FaultSwitch
  private lastTransportId = 0

  constructor(faults: FaultSwitch) {
    this.faults = faults
  }

  add(phone: PhoneHost): void {
    if (this.entries.has(phone.serial))
      throw new Error(`the serial ${phone.serial} is taken; give each phone its own serial`)
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
    entry.configuredState = 'offline'
    this.changed(entry)
  }

  /** With `quiet`, tracking clients are notified only with the next change. */
  setState(serial: string, state: DeviceState, quiet = false): void {
    const entry = this.require(serial)
    entry.configuredState = state
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

  /** The selected phone, or adb's error message when there is not exactly one. */
  select(selector: Selector): RosterEntry | string {
    if (selector.by === 'serial') {
      return this.entries.get(selector.serial) ?? `device '${selector.serial}' not found`
    }
    if (selector.by === 'id') {
      const found = this.all().find((entry) => entry.transportId === selector.id)
      return found ?? `no device with transport id '${selector.id}'`
    }
    const { none, many } = SELECTOR_MESSAGES[selector.by]
    const candidates = selector.by === 'usb' ? [] : this.all()
    if (candidates.length > 1) return many
    return candidates[0] ?? none
  }

  /** Calls the listener after a phone was added, removed or changed. Returns the unsubscribe function. */
  onChange(listener: () => void): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  private changed(entry: Entry, quiet = false): void {
    if (entry.state === 'device') entry.bannerKnown = true
    else entry.closeStreams()
    if (!quiet) entry.announcedState = entry.state
    for (const listener of this.listeners) listener()
  }
}

export interface ListForm {
  /** With product, model, device and transport id, as `host:devices-l`. */
  readonly long: boolean
  /** Lists the state last sent to tracking clients instead of the current state. */
  readonly announced: boolean
}

export function formatDeviceList(roster: DeviceRoster, { long, announced }: ListForm): string {
  const line = (entry: RosterEntry) => {
    const state = announced ? entry.announcedState : entry.state
    return long ? formatLongLine(entry, state) : `${entry.phone.serial}\t${state}`
  }
  return roster
    .all()
    .toSorted((a, b) => (a.phone.serial < b.phone.serial ? -1 : 1))
    .map((entry) => `${line(entry)}\n`)
    .join('')
}

/** adb's error message when the phone is not available. Undefined when it is. */
export function describeUnavailability(entry: RosterEntry): string | undefined {
  if (entry.state === 'offline') return 'device offline'
  return entry.state === 'unauthorized' ? UNAUTHORIZED_MESSAGE : undefined
}

class Entry implements RosterEntry {
  readonly phone: PhoneHost
  readonly transportId: number
  readonly faults: FaultSwitch
  readonly streams = new Set<{ close(): void }>()
  configuredState: DeviceState = 'device'
  announcedState: DeviceState = 'device'
  bannerKnown = false
  stopListening: () => void = () => {}

  constructor(phone: PhoneHost, transportId: number, faults: FaultSwitch) {
    this.phone = phone
    this.transportId = transportId
    this.faults = faults
  }

  get state(): DeviceState {
    const { muteConnect, unauthorized } = this.faults.current
    if (muteConnect) return 'offline'
    return unauthorized ? 'unauthorized' : this.configuredState
  }

  closeStreams(): void {
    for (const stream of this.streams) stream.close()
  }
}

// Simulated phones count as TCP devices, which adb calls local.
const SELECTOR_MESSAGES = {
  any: { none: 'no devices/emulators found', many: 'more than one device/emulator' },
  usb: { none: 'no devices found', many: 'more than one device' },
  local: { none: 'no emulators found', many: 'more than one emulator' },
}

const UNAUTHORIZED_MESSAGE = `device unauthorized.
This adb server's $ADB_VENDOR_KEYS is not set
Try 'adb kill-server' if that seems wrong.
Otherwise check for a confirmation dialog on your device.`

function formatLongLine(entry: RosterEntry, state: DeviceState): string {
  const { product, model, device } = entry.phone.banner
  const columns = [`${entry.phone.serial.padEnd(22)} ${state}`]
  if (entry.bannerKnown) {
    columns.push(`product:${product}`, `model:${model.replaceAll(/[^A-Za-z0-9]/g, '_')}`)
    columns.push(`device:${device}`)
  }
  columns.push(`transport_id:${entry.transportId}`)
  return columns.join(' ')
}
