import { onTestFinished } from 'vitest'
import { formatFullSerial } from '../../../src/device-hosts/wire/serials.ts'
import { redisAvailable, startRedisServer } from '../../device-hosts/redis-server.ts'
import { type Daemon, startDaemon } from '../../kit/daemon.ts'
import { addHost, HOST_NAME } from '../../kit/hosted-phone.ts'
import { type Rig, type RigKind, rigKinds } from '../driver/rigs.ts'

/** How the daemon of a pool reaches its phones. */
export interface PoolKind {
  readonly name: string
  readonly rig: RigKind
  /** The daemon, and what the serials of its phones begin with. */
  startDaemon(rig: Rig): Promise<{ readonly daemon: Daemon; readonly prefix: string }>
}

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
  const redis = { url: (await startRedisServer(onTestFinished)).url, prefix: 'pool' }
  const daemon = await startDaemon({ config: { redis } })
  await addHost(await daemon.listen(), { redis, server })
  return { daemon, prefix: formatFullSerial(HOST_NAME, '') }
}

/** Each adb server beside the daemon, and, where Redis is installed, one beside a device host. */
export const poolKinds: readonly PoolKind[] =
  redisAvailable && embedded !== undefined
    ? [...beside, { name: 'a device host', rig: embedded, startDaemon: startThroughHost }]
    : beside
