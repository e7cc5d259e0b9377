import { AdbSocket } from './adb-socket.ts'
import type { ServerAddress } from './adb-socket.ts'
import { within } from './call-limits.ts'
import type { CallLimits } from './call-limits.ts'
import { withAdbkit } from './adbkit-call.ts'
import { TransportFailure } from './transport-failure.ts'

/** A line of the server's device list. */
export interface ListedDevice {
  readonly serial: string
  /** The server's own word: `device`, `offline`, `unauthorized`, `connecting`, `recovery`, ... */
  readonly state: string
}

/** What can be asked of the adb server itself. It never starts or ends a server. */
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

  /** What the device's adbd and the server both speak, e.g. `shell_v2`. */
  async features(serial: string, limits: CallLimits): Promise<ReadonlySet<string>> {
    const text = await this.#ask(`host-serial:${serial}:features`, limits, serial)
    return new Set(text.split(',').map((word) => word.trim()))
  }

  /** The server's protocol version, e.g. 41. Answers whether a server is there at all. */
  async version(limits: CallLimits): Promise<number> {
    return Number.parseInt(await this.#ask('host:version', limits), 16)
  }

  /**
   * Connects a device over TCP. The entry is dropped first: a server that still holds the entry of
   * a lost device answers "already connected" and waits for its own retry instead.
   */
  async reconnectTcp(serial: string, limits: CallLimits): Promise<void> {
    await this.#ask(`host:disconnect:${serial}`, limits, serial).catch(ignoreUnknownDevice)
    const text = await this.#ask(`host:connect:${serial}`, limits, serial)
    // Every outcome arrives as OKAY; only the words differ.
    if (/^(already )?connected to /i.test(text)) return
    const kind = /authenticate|unauthorized/i.test(text)
      ? 'device_unauthorized'
      : 'device_not_found'
    throw new TransportFailure(kind, `adb connect: ${text.trim()}`, { serial })
  }

  async disconnectTcp(serial: string, limits: CallLimits): Promise<void> {
    await this.#ask(`host:disconnect:${serial}`, limits, serial).catch(ignoreUnknownDevice)
  }

  #ask(request: string, limits: CallLimits, serial?: string): Promise<string> {
    const subject = { what: request, ...(serial === undefined ? {} : { serial }) }
    return within(limits, subject, async (scope) => {
      const socket = AdbSocket.open(this.server, serial)
      scope.onEnd(() => socket.destroy())
      await socket.request(request)
      return socket.readText()
    })
  }
}

function ignoreUnknownDevice(error: unknown): void {
  const unknown =
    error instanceof TransportFailure &&
    (error.kind === 'device_not_found' || /no such device/i.test(error.message))
  if (!unknown) throw error
}
