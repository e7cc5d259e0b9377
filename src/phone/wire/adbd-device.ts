import type { KeyObject } from 'node:crypto'
import type { PhoneHost } from '../host/host.ts'
import { parseAdbKey } from './adbd-auth.ts'
import { AdbdConnection } from './adbd-connection.ts'
import { FaultSwitch } from './faults.ts'
import { listen } from './listener.ts'
import { payloadMaxBytes, versionWithoutChecksum } from './packet.ts'

export interface AdbdDeviceOptions {
  readonly host: PhoneHost
  /** 0, the default, takes any free port. Ports 5555 to 5585 are probed by every adb server. */
  readonly port?: number
  /**
   * Who may connect. `none` (the default): everybody. `ask`: holders of a known key; others wait
   * for `approve()`. `known`: holders of a known key; others stay unauthorized.
   */
  readonly auth?: 'none' | 'ask' | 'known'
  /** Public keys as adb writes them to `adbkey.pub`. */
  readonly knownKeys?: readonly string[]
  /** Protocol version; 0x01000000 is that of old phones, which check every checksum. */
  readonly version?: number
  /** The longest payload announced. */
  readonly maxPayload?: number
}

export interface AdbdDevice {
  readonly port: number
  readonly faults: FaultSwitch
  /** Connections open now, each one an adb server. */
  readonly connections: number
  /** Says yes on the phone: keys waiting now become known. Returns how many were let in. */
  approve(): number
  /** Loses every connection now; a real adb server tries again after 250 ms, then every 10 s. */
  cut(options?: { readonly reset?: boolean }): void
  /** The phone leaves the network. */
  stop(): Promise<void>
  /** The phone is back on the same port. */
  start(): Promise<void>
  close(): Promise<void>
}

/** The debugging daemon of a simulated phone, to which a real adb server can connect. */
export async function startAdbdDevice(options: AdbdDeviceOptions): Promise<AdbdDevice> {
  const faults = new FaultSwitch()
  const auth = options.auth ?? 'none'
  const known = (options.knownKeys ?? []).map(requireKey)
  const setting = {
    phone: options.host,
    faults,
    version: options.version ?? versionWithoutChecksum,
    maxPayload: options.maxPayload ?? payloadMaxBytes,
    keys: { required: auth !== 'none', known },
  }
  const connections = new Set<AdbdConnection>()
  const address = { host: '127.0.0.1', port: options.port ?? 0 }
  const listener = await listen(address, (socket) => {
    const connection = new AdbdConnection(socket, setting)
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
  if (key === undefined) throw new Error('a known key is not in the format of adbkey.pub')
  return key
}

function approveWaiting(connections: Iterable<AdbdConnection>, known: KeyObject[]): number {
  let approved = 0
  for (const connection of connections) {
    if (connection.offered === undefined) continue
    known.push(connection.offered)
    connection.welcome()
    approved += 1
  }
  return approved
}
