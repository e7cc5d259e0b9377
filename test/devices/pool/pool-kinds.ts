import { pino } from 'pino'
import { onTestFinished } from 'vitest'
import { createClient } from '@apprentice/contracts/client.ts'
import { createHost } from '@apprentice/contracts/devices/hosts.ts'
import { DeviceHost } from '../../../src/device-hosts/host/device-host.ts'
import { redisAvailable, startRedisServer } from '../../device-hosts/redis-server.ts'
import { type Daemon, startDaemon } from '../../kit/daemon.ts'
import { type Rig, type RigKind, rigKinds } from '../driver/rigs.ts'

/** How the daemon of a pool reaches its phones. */
export interface PoolKind {
  readonly name: string
  readonly rig: RigKind
  /** The daemon, and what the serials of its phones begin with. */
  startDaemon(rig: Rig): Promise<{ readonly daemon: Daemon; readonly prefix: string }>
}

const HOST_NAME = 'lab'
const [embedded] = rigKinds

const beside: readonly PoolKind[] = rigKinds.map((rig) => ({
  name: rig.name,
  rig,
  startDaemon: async ({ server }) => ({
    daemon: await startDaemon({ config: { phone: 'adb', adb: server } }),
    prefix: '',
  }),
}))

async function startThroughHost({ server }: Rig): Promise<{ daemon: Daemon; prefix: string }> {
  const address = { url: (await startRedisServer(onTestFinished)).url, prefix: 'pool' }
  const daemon = await startDaemon({ config: { redis: address } })
  const { url, call } = await daemon.listen()
  const { secret: token } = await call(createHost, { body: { name: HOST_NAME } })
  const stop = new AbortController()
  const host = new DeviceHost({
    daemon: createClient({ baseUrl: url, token }),
    token,
    redis: address,
    server,
    version: '1.0.0',
    log: pino({ level: 'silent' }),
  })
  const served = host.serve(stop.signal)
  served.catch(() => {})
  onTestFinished(async () => {
    stop.abort()
    await served.catch(() => {})
  })
  return { daemon, prefix: `${HOST_NAME}::` }
}

/** Each adb server beside the daemon, and, where Redis is installed, one beside a device host. */
export const poolKinds: readonly PoolKind[] =
  redisAvailable && embedded !== undefined
    ? [...beside, { name: 'a device host', rig: embedded, startDaemon: startThroughHost }]
    : beside
