import {
  type DeviceRoster,
  type RosterEntry,
  type Selector,
  formatDeviceList,
  describeUnavailability,
} from './device-roster.ts'
import { listFeatures, SUPPORTED_FEATURES } from './service.ts'

/** The server version that adb 29 to 36 expect. They restart a server of another version. */
const ADB_SERVER_VERSION = 41

/** How the server answers a host request. */
export type HostAnswer =
  | { readonly kind: 'reply'; readonly text: string }
  | { readonly kind: 'fail'; readonly text: string }
  | { readonly kind: 'transport'; readonly entry: RosterEntry; readonly sendId: boolean }
  | { readonly kind: 'track'; readonly long: boolean }
  | { readonly kind: 'wait'; readonly selector: Selector; readonly target: 'online' | 'gone' }

/** Answers a request that begins with `host`. Returns undefined for a request to a phone. */
export function answerHostRequest(text: string, roster: DeviceRoster): HostAnswer | undefined {
  const request = parseRequest(text)
  if (request === undefined) return undefined
  const { verb, selector } = request
  return answerServer(verb, roster) ?? answerSwitch(verb, roster) ?? answerDevice(verb, selector, roster)
}

const HOST_REQUEST = /^host:(.*)$/s
// A serial may be an address with a port.
const SERIAL_REQUEST = /^host-serial:((?:\[[^\]]*\]|[^:]+)(?::\d+)?):(.*)$/s
const TRANSPORT_ID_REQUEST = /^host-transport-id:(\d+):(.*)$/s
const CONNECTION_KIND_REQUEST = /^host-(usb|local):(.*)$/s

function parseRequest(text: string): { verb: string; selector: Selector } | undefined {
  const [, plain] = HOST_REQUEST.exec(text) ?? []
  if (plain !== undefined) return { verb: plain, selector: { by: 'any' } }
  const [, serial, serialVerb] = SERIAL_REQUEST.exec(text) ?? []
  if (serial !== undefined && serialVerb !== undefined) {
    return { verb: serialVerb, selector: { by: 'serial', serial } }
  }
  const [, id, idVerb] = TRANSPORT_ID_REQUEST.exec(text) ?? []
  if (idVerb !== undefined) return { verb: idVerb, selector: { by: 'id', id: Number(id) } }
  const [, kind, kindVerb] = CONNECTION_KIND_REQUEST.exec(text) ?? []
  if (kindVerb === undefined) return undefined
  return { verb: kindVerb, selector: { by: kind === 'usb' ? 'usb' : 'local' } }
}

function answerServer(verb: string, roster: DeviceRoster): HostAnswer | undefined {
  switch (verb) {
    case 'version':
      return reply(ADB_SERVER_VERSION.toString(16).padStart(4, '0'))
    case 'devices':
    case 'devices-l':
      return reply(formatDeviceList(roster, { long: verb === 'devices-l', announced: false }))
    case 'track-devices':
    case 'track-devices-l':
      return { kind: 'track', long: verb === 'track-devices-l' }
    case 'host-features':
      return reply(SUPPORTED_FEATURES.join(','))
    case 'list-forward':
      return reply('')
    case 'kill':
      return fail('this adb server belongs to the simulated phone and cannot be killed')
    default:
      return undefined
  }
}

function answerSwitch(verb: string, roster: DeviceRoster): HostAnswer | undefined {
  const form = /^(?:transport(?:-(any|usb|local)|-id:(\d+)|:(.+))|tport:(any|usb|local|serial:(.+)))$/s
  const match = form.exec(verb)
  if (match === null) {
    return verb.startsWith('transport-id:') ? fail('invalid transport id') : undefined
  }
  const [, oldKind, id, oldSerial, newKind, newSerial] = match
  const serial = oldSerial ?? newSerial
  const kind = oldKind ?? newKind
  const by = kind === 'usb' || kind === 'local' ? kind : 'any'
  const selector: Selector =
    serial !== undefined ? { by: 'serial', serial } : id !== undefined ? { by: 'id', id: Number(id) } : { by }
  const entry = roster.select(selector)
  if (typeof entry === 'string') return fail(entry)
  const why = describeUnavailability(entry)
  return why === undefined ? { kind: 'transport', entry, sendId: newKind !== undefined } : fail(why)
}

function answerDevice(verb: string, selector: Selector, roster: DeviceRoster): HostAnswer {
  const wait = /^wait-for-(?:any|usb|local)-(device|any|disconnect)$/.exec(verb)
  if (wait !== null) {
    return { kind: 'wait', selector, target: wait[1] === 'disconnect' ? 'gone' : 'online' }
  }
  const query = deviceQueries.get(verb)
  if (query === undefined) return fail('unknown host service')
  const entry = roster.select(selector)
  if (typeof entry === 'string') return fail(entry)
  const why = describeUnavailability(entry)
  return why === undefined ? reply(query(entry)) : fail(why)
}

const deviceQueries = new Map<string, (entry: RosterEntry) => string>([
  ['get-state', (entry) => entry.state],
  ['get-serialno', (entry) => entry.phone.serial],
  ['get-devpath', () => 'unknown'],
  ['features', (entry) => listFeatures(entry.phone, entry.faults.current).join(',')],
])

function reply(text: string): HostAnswer {
  return { kind: 'reply', text }
}

function fail(text: string): HostAnswer {
  return { kind: 'fail', text }
}
