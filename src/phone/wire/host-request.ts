import {
  type DeviceRoster,
  type RosterEntry,
  type Selector,
  deviceList,
  obstacle,
} from './device-roster.ts'
import { announcedFeatures, carriedFeatures } from './service.ts'

/** The protocol version adb 29 to 36 expect of their server; another one makes them restart it. */
const adbServerVersion = 41

/** What the server does about a request to itself. */
export type HostAnswer =
  | { readonly kind: 'reply'; readonly text: string }
  | { readonly kind: 'fail'; readonly text: string }
  | { readonly kind: 'transport'; readonly entry: RosterEntry; readonly tellId: boolean }
  | { readonly kind: 'track'; readonly long: boolean }
  | { readonly kind: 'wait'; readonly selector: Selector; readonly target: 'online' | 'gone' }

/** Answers a request that begins with `host`; any other text is a request to a phone: undefined. */
export function answerHost(text: string, roster: DeviceRoster): HostAnswer | undefined {
  const request = parse(text)
  if (request === undefined) return undefined
  const { verb, selector } = request
  return (
    answerServer(verb, roster) ?? answerSwitch(verb, roster) ?? answerDevice(verb, selector, roster)
  )
}

const hostForm = /^host:(.*)$/s
// A serial may be an address with a port.
const serialForm = /^host-serial:((?:\[[^\]]*\]|[^:]+)(?::\d+)?):(.*)$/s
const idForm = /^host-transport-id:(\d+):(.*)$/s
const kindForm = /^host-(usb|local):(.*)$/s

function parse(text: string): { verb: string; selector: Selector } | undefined {
  const [, plain] = hostForm.exec(text) ?? []
  if (plain !== undefined) return { verb: plain, selector: { by: 'any' } }
  const [, serial, serialVerb] = serialForm.exec(text) ?? []
  if (serial !== undefined && serialVerb !== undefined) {
    return { verb: serialVerb, selector: { by: 'serial', serial } }
  }
  const [, id, idVerb] = idForm.exec(text) ?? []
  if (idVerb !== undefined) return { verb: idVerb, selector: { by: 'id', id: Number(id) } }
  const [, kind, kindVerb] = kindForm.exec(text) ?? []
  if (kindVerb === undefined) return undefined
  return { verb: kindVerb, selector: { by: kind === 'usb' ? 'usb' : 'local' } }
}

function answerServer(verb: string, roster: DeviceRoster): HostAnswer | undefined {
  switch (verb) {
    case 'version':
      return reply(adbServerVersion.toString(16).padStart(4, '0'))
    case 'devices':
    case 'devices-l':
      return reply(deviceList(roster, { long: verb === 'devices-l', told: false }))
    case 'track-devices':
    case 'track-devices-l':
      return { kind: 'track', long: verb === 'track-devices-l' }
    case 'host-features':
      return reply(carriedFeatures.join(','))
    case 'list-forward':
      return reply('')
    case 'kill':
      return fail('this adb server is part of the simulated phone and stays up')
    default:
      return undefined
  }
}

function answerSwitch(verb: string, roster: DeviceRoster): HostAnswer | undefined {
  const form =
    /^(?:transport(?:-(any|usb|local)|-id:(\d+)|:(.+))|tport:(any|usb|local|serial:(.+)))$/s
  const match = form.exec(verb)
  if (match === null) {
    return verb.startsWith('transport-id:') ? fail('invalid transport id') : undefined
  }
  const [, oldKind, id, oldSerial, newKind, newSerial] = match
  const serial = oldSerial ?? newSerial
  const kind = oldKind ?? newKind
  const by = kind === 'usb' || kind === 'local' ? kind : 'any'
  const selector: Selector =
    serial !== undefined
      ? { by: 'serial', serial }
      : id !== undefined
        ? { by: 'id', id: Number(id) }
        : { by }
  const entry = roster.select(selector)
  if (typeof entry === 'string') return fail(entry)
  const why = obstacle(entry)
  return why === undefined ? { kind: 'transport', entry, tellId: newKind !== undefined } : fail(why)
}

function answerDevice(verb: string, selector: Selector, roster: DeviceRoster): HostAnswer {
  const wait = /^wait-for-(?:any|usb|local)-(device|any|disconnect)$/.exec(verb)
  if (wait !== null) {
    return { kind: 'wait', selector, target: wait[1] === 'disconnect' ? 'gone' : 'online' }
  }
  const tell = deviceFacts.get(verb)
  if (tell === undefined) return fail('unknown host service')
  const entry = roster.select(selector)
  if (typeof entry === 'string') return fail(entry)
  const why = obstacle(entry)
  return why === undefined ? reply(tell(entry)) : fail(why)
}

const deviceFacts = new Map<string, (entry: RosterEntry) => string>([
  ['get-state', (entry) => entry.state],
  ['get-serialno', (entry) => entry.phone.serial],
  ['get-devpath', () => 'unknown'],
  ['features', (entry) => announcedFeatures(entry.phone, entry.faults.current).join(',')],
])

function reply(text: string): HostAnswer {
  return { kind: 'reply', text }
}

function fail(text: string): HostAnswer {
  return { kind: 'fail', text }
}
