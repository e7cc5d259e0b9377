import type { KeyObject } from 'node:crypto'
import type { PhoneHost } from '../host/host.ts'
import { parseAdbKey } from './adbd-auth.ts'
import { AdbdConnection } from './adbd-connection.ts'
import { FaultSwitch } from './faults.ts'
import { listen } from './listener.ts'
import { MAX_PAYLOAD_BYTES, VERSION_WITHOUT_CHECKSUM } from './packet.ts'

export interface AdbdDeviceOptions {
  readonly host: PhoneHost
  /** Default 0: any free port. Avoid 5555 to 5585, which every adb server probes. */
  readonly port?: number
  /**
   * `none` (the default): no key is needed. `ask`: a known key is needed; other keys wait for
   * `approve()`. `known`: a known key is needed; other keys stay unauthorized.
   */
  readonly auth?: 'none' | 'ask' | 'known'
  /** Public keys in the format of `adbkey.pub`. */
  readonly knownKeys?: readonly string[]
  /** Protocol version. Old phones use 0x01000000 and verify checksums. */
  readonly version?: number
  /** The announced maximum payload in bytes. */
  readonly maxPayload?: number
}

export interface AdbdDevice {
  readonly port: number
  readonly faults: FaultSwitch
  /** Number of open connections. Each is one adb server. */
  readonly connections: number
  /** Approves all waiting keys. Returns their number. */
  approve(): number
  /** Closes all connections. A real adb server reconnects after 250 ms, then every 10 s. */
  cut(options?: { readonly reset?: boolean }): void
  /** Closes all connections and stops listening. */
  stop(): Promise<void>
  /** Listens again on the same port. */
  start(): Promise<void>
  close(): Promise<void>
}

/** Starts the adb daemon of a simulated phone. A real adb server can connect to it. */
export async function startAdbdDevice(options: AdbdDeviceOptions): Promise<AdbdDevice> {
  const faults = new FaultSwitch()
  const auth = options.auth ?? 'none'
  const known = (options.knownKeys ?? []).map(requireKey)
  const settings = {
    phone: options.host,
    faults,
    version: options.version ?? VERSION_WITHOUT_CHECKSUM,
    maxPayload: options.maxPayload ?? MAX_PAYLOAD_BYTES,
    keys: { required: auth !== 'none', known },
  }
  const connections = new Set<AdbdConnection>()
  const address = { host: '127.0.0.1', port: options.port ?? 0 }
  const listener = await listen(address, (socket) => {
    const connection = new AdbdConnection(socket, settings)
    connections.add(connection)
    socket.on('close', () => connections.delete(connection))
  })
  return {
    port: listener.port,
    faults,
    get connections() {
      return listener.connections
    },
    approve: () => (auth === 'ask' ? approveWaiting(connections, known) : 0),
    cut: (how) => listener.cut(how),
    stop: () => listener.stop(),
    start: () => listener.start(),
    close: () => listener.stop(),
  }
}

function requireKey(text: string): KeyObject {
  const key = parseAdbKey(text)
  if (key === undefined) throw new Error('knownKeys: a key is not in the format of adbkey.pub')
  return key
}

function approveWaiting(connections: Iterable<AdbdConnection>, known: KeyObject[]): number {
  let approved = 0
  for (const connection of connections) {
    if (connection.offeredKey === undefined) continue
    known.push(connection.offeredKey)
    connection.completeHandshake()
    approved += 1
  }
  return approved
}
