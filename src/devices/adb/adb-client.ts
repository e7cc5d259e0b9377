import { AdbSocket } from './adb-socket.ts'
import type { ServerAddress } from './adb-socket.ts'
import { withLimits } from './call-limits.ts'
import type { CallLimits } from './call-limits.ts'
import { withAdbkit } from './adbkit-call.ts'
import { TransportFailure } from './transport-failure.ts'

/** A line of the server's device list. */
export interface ListedDevice {
  readonly serial: string
  /** The state as the server reports it: `device`, `offline`, `unauthorized`, `connecting`, `recovery`, ... */
  readonly state: string
}

/** Requests to the adb server itself. Never starts or stops a server. */
export class AdbClient {
  readonly server: ServerAddress

  constructor(server: ServerAddress) {
    this.server = server
  }

  listDevices(limits: CallLimits): Promise<readonly ListedDevice[]> {
    return withAdbkit(this.server, limits, { what: 'listing devices' }, async (client) => {
      const devices = await client.listDevices()
      return devices.map(({ id, type }) => ({ serial: id, state: type }))
    })
  }

  /** The features that the adbd of the device and the server both support, e.g. `shell_v2`. */
  async features(serial: string, limits: CallLimits): Promise<ReadonlySet<string>> {
    const text = await this.#request(`host-serial:${serial}:features`, limits, serial)
    return new Set(text.split(',').map((name) => name.trim()))
  }

  /** The protocol version of the server, e.g. 41. Rejects if no server is running. */
  async version(limits: CallLimits): Promise<number> {
    return Number.parseInt(await this.#request('host:version', limits), 16)
  }

  /**
   * Connects a device over TCP. Disconnects it first: a server that still lists a lost device answers
   * "already connected" and waits for its own retry instead.
   */
  async reconnectTcp(serial: string, limits: CallLimits): Promise<void> {
    await this.#request(`host:disconnect:${serial}`, limits, serial).catch(ignoreUnknownDevice)
    const text = await this.#request(`host:connect:${serial}`, limits, serial)
    // The server answers OKAY for every outcome; only the text differs.
    if (/^(already )?connected to /i.test(text)) return
    const kind = /authenticate|unauthorized/i.test(text) ? 'device_unauthorized' : 'device_not_found'
    throw new TransportFailure(kind, `adb connect: ${text.trim()}`, { serial })
  }

  async disconnectTcp(serial: string, limits: CallLimits): Promise<void> {
    await this.#request(`host:disconnect:${serial}`, limits, serial).catch(ignoreUnknownDevice)
  }

  #request(request: string, limits: CallLimits, serial?: string): Promise<string> {
    const subject = { what: request, ...(serial === undefined ? {} : { serial }) }
    return withLimits(limits, subject, async (scope) => {
      const socket = AdbSocket.open(this.server, serial)
      scope.onEnd(() => socket.destroy())
      await socket.request(request)
      return socket.readText()
    })
  }
}

function ignoreUnknownDevice(error: unknown): void {
  const unknown =
    error instanceof TransportFailure && (error.kind === 'device_not_found' || /no such device/i.test(error.message))
  if (!unknown) throw error
}
