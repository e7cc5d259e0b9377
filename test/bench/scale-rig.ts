import { startAdbServer } from '@apprentice/phone/wire/adb-server.ts'
import type { LatencyProfile } from '@apprentice/phone/phone.ts'
import { startRedisServer } from '../device-hosts/redis-server.ts'
import { type BenchDaemon, startDeviceDaemon, startPhones, waitForDevices } from './device-rig.ts'
import { BENCH_TOKEN } from './home.ts'
import { daemonProgram, type Program, startProgram } from './program.ts'

export interface ScaleRig {
  readonly daemon: BenchDaemon
  readonly hostPids: readonly number[]
  /** The phones, those of different hosts in turn. */
  readonly serials: readonly string[]
  close(): Promise<void>
}

/** A daemon, Redis, and hosts with phones of their own, each a process. */
export async function startScaleRig(request: {
  readonly hosts: number
  readonly phones: number
  readonly latency: LatencyProfile
}): Promise<ScaleRig> {
  const ends: (() => unknown)[] = []
  const close = async () => {
    for (const end of ends.toReversed()) await end()
  }
  try {
    const { url: redis } = await startRedisServer((end) => ends.push(end))
    const own = await startAdbServer({ hosts: [] })
    ends.push(() => own.close())
    const env = { APPRENTICE_REDIS: redis }
    const daemon = await startDeviceDaemon({ server: own.port, serials: [] }, env)
    ends.push(() => daemon.close())
    const started: { readonly program: Program; readonly serials: readonly string[] }[] = []
    for (let at = 1; at <= request.hosts; at += 1) {
      const phones = await startPhones({ count: request.phones / request.hosts, latency: request.latency })
      ends.push(() => phones.close())
      const name = `host-${at}`
      const program = startProgram([daemonProgram, 'host', '--url', daemon.url], {
        ...env,
        ADB_SERVER_SOCKET: `tcp:127.0.0.1:${phones.server}`,
        APPRENTICE_HOST_TOKEN: await addHost(daemon.url, name),
      })
      ends.push(() => program.end('SIGKILL'))
      started.push({ program, serials: phones.serials.map((serial) => `${name}::${serial}`) })
    }
    await waitForDevices(daemon.url, request.phones)
    const hostPids = started.map(({ program }) => program.child.pid ?? 0)
    return { daemon, hostPids, serials: takeInTurn(started.map(({ serials }) => serials)), close }
  } catch (error) {
    await close()
    throw error
  }
}

async function addHost(url: string, name: string): Promise<string> {
  const reply = await fetch(`${url}/api/hosts`, {
    method: 'POST',
    headers: { authorization: `Bearer ${BENCH_TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name }),
  })
  return ((await reply.json()) as { secret: string }).secret
}

const takeInTurn = (lists: readonly (readonly string[])[]): string[] =>
  (lists[0] ?? []).flatMap((_, at) => lists.flatMap((list) => list[at] ?? []))
