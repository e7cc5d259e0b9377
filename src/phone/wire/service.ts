import type { PhoneHost } from '../host/host.ts'
import type { FaultSwitch, WireFaults } from './faults.ts'
import type { ServiceStream } from './service-stream.ts'
import type { ReverseForwards } from './reverse-service.ts'
import { shapeOutput } from './shaped-stream.ts'
import { serveRawShell, serveShellV2 } from './shell-service.ts'
import { serveSync } from './sync-service.ts'

export interface ServiceRequest {
  /** The service name sent by the client, e.g. `shell,v2,raw:ls`. */
  readonly name: string
  readonly phone: PhoneHost
  readonly faults: FaultSwitch
  /** The reversed ports of the connection. Undefined where the phone cannot connect to the computer. */
  readonly reverses?: ReverseForwards
}

/** Serves one request on a new stream. Resolves when the service ends. */
export async function openService(request: ServiceRequest, rawStream: ServiceStream): Promise<void> {
  const { faults } = request
  await faults.waitUntilThawed(rawStream.signal)
  if (faults.current.hangOpen || rawStream.signal.aborted) return
  const service = faults.current.refuseOpen ? undefined : findService(request)
  if (service === undefined) {
    rawStream.refuse()
    return
  }
  rawStream.accept()
  const stream = shapeOutput(rawStream, faults)
  try {
    await service(stream)
  } finally {
    stream.close()
  }
}

/** The features of a phone that this implementation supports. */
export function listFeatures(phone: PhoneHost, faults: WireFaults): string[] {
  return phone.features.filter(
    (feature) => SUPPORTED_FEATURES.includes(feature) && !(faults.noShellV2 && feature === 'shell_v2'),
  )
}

export const SUPPORTED_FEATURES: readonly string[] = ['shell_v2', 'cmd', 'stat_v2', 'ls_v2', 'fixed_push_mkdir']

/** `tcp:PORT`: a connection to a program of the phone. Clients reach it by `adb forward`. */
function findListener(phone: PhoneHost, port: number): Service | undefined {
  return phone.listener?.(port)
}

/** What the daemon of a phone that was sold answers to requests of developers. */
const NOTICES: Readonly<Record<string, string>> = {
  root: 'adbd cannot run as root in production builds\n',
  unroot: 'adbd not running as root\n',
  remount: 'Not running as root. Try "adb root" first.\n',
}

type Service = (stream: ServiceStream) => Promise<void>

function findService({ name, phone, faults, reverses }: ServiceRequest): Service | undefined {
  const colon = name.indexOf(':')
  if (colon < 0) return undefined
  const [service, ...options] = name.slice(0, colon).split(',')
  const request = { phone, faults, command: name.slice(colon + 1) }
  if (service === 'tcp') return findListener(phone, Number(request.command))
  if (service === 'sync') return (stream) => serveSync(phone.files, stream)
  if (service === 'reverse') return reverses && ((stream) => reverses.serve(request.command, stream))
  const notice = NOTICES[service ?? '']
  if (notice !== undefined) return (stream) => stream.write(Buffer.from(notice))
  if (service === 'exec') return (stream) => serveRawShell(request, stream)
  if (service !== 'shell') return undefined
  if (!options.includes('v2')) return (stream) => serveRawShell(request, stream)
  const isSupported = listFeatures(phone, faults.current).includes('shell_v2')
  return isSupported ? (stream) => serveShellV2(request, stream) : undefined
}
