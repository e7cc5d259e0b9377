import type { PhoneHost } from '../host/host.ts'
import type { FaultSwitch, WireFaults } from './faults.ts'
import type { ServiceStream } from './service-stream.ts'
import { shapeOutput } from './shaped-stream.ts'
import { serveRawShell, serveShellV2 } from './shell-service.ts'
import { serveSync } from './sync-service.ts'

export interface ServiceRequest {
  /** The service as the client names it, e.g. `shell,v2,raw:ls`. */
  readonly name: string
  readonly phone: PhoneHost
  readonly faults: FaultSwitch
}

/** Answers one service request on a fresh stream and resolves when the conversation is over. */
export async function openService(request: ServiceRequest, bare: ServiceStream): Promise<void> {
  const { faults } = request
  await faults.thawed(bare.signal)
  if (faults.current.hangOpen || bare.signal.aborted) return
  const service = faults.current.refuseOpen ? undefined : findService(request)
  if (service === undefined) {
    bare.refuse()
    return
  }
  bare.accept()
  const stream = shapeOutput(bare, faults)
  try {
    await service(stream)
  } finally {
    stream.close()
  }
}

/** The features a phone announces: what it claims, as far as the faces can carry it. */
export function announcedFeatures(phone: PhoneHost, faults: WireFaults): string[] {
  return phone.features.filter(
    (feature) => carriedFeatures.includes(feature) && !(faults.noShellV2 && feature === 'shell_v2'),
  )
}

export const carriedFeatures: readonly string[] = [
  'shell_v2',
  'cmd',
  'stat_v2',
  'ls_v2',
  'fixed_push_mkdir',
]

type Service = (stream: ServiceStream) => Promise<void>

function findService({ name, phone, faults }: ServiceRequest): Service | undefined {
  const colon = name.indexOf(':')
  if (colon < 0) return undefined
  const [service, ...options] = name.slice(0, colon).split(',')
  const request = { phone, faults, command: name.slice(colon + 1) }
  if (service === 'sync') return (stream) => serveSync(phone.files, stream)
  if (service === 'exec') return (stream) => serveRawShell(request, stream)
  if (service !== 'shell') return undefined
  if (!options.includes('v2')) return (stream) => serveRawShell(request, stream)
  const spoken = announcedFeatures(phone, faults.current).includes('shell_v2')
  return spoken ? (stream) => serveShellV2(request, stream) : undefined
}
