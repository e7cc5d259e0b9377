import type { PhoneHost } from '../host/host.ts'
import { ClientConversation } from './client-connection.ts'
import { DeviceRoster, type DeviceState } from './device-roster.ts'
import { FaultSwitch } from './faults.ts'
import { listen } from './listener.ts'

export interface AdbServer {
  readonly port: number
  /** Faults of every phone; `freeze` also holds back the server's own answers. */
  readonly faults: FaultSwitch
  /** Faults of one phone, added to those of all. */
  faultsFor(serial: string): FaultSwitch
  /** Client connections open now. */
  readonly connections: number
  addHost(host: PhoneHost): void
  /** The phone leaves the list and its streams end. */
  removeHost(serial: string): void
  /**
   * Any state but `device` also ends the phone's streams. With `quiet`, tracking clients are not
   * told before the next change: adb 29 is silent for a minute after a network phone vanished.
   */
  setDeviceState(serial: string, state: DeviceState, options?: { readonly quiet?: boolean }): void
  /**
   * Ends one phone's streams as a blip of its connection would; without a serial, ends every client
   * connection (`reset`: with a reset).
   */
  cut(options?: { readonly serial?: string; readonly reset?: boolean }): void
  /** The server dies: no connection is left and nobody listens. */
  stop(): Promise<void>
  /** A server answers again on the same port, with the same phones. */
  start(): Promise<void>
  close(): Promise<void>
}

/** An adb server with simulated phones attached, as adb clients see one on its TCP port. */
export async function startAdbServer(options: {
  readonly hosts: readonly PhoneHost[]
  readonly port?: number
  readonly host?: string
}): Promise<AdbServer> {
  const faults = new FaultSwitch()
  const roster = new DeviceRoster(faults)
  for (const phone of options.hosts) roster.add(phone)
  const address = { host: options.host ?? '127.0.0.1', port: options.port ?? 0 }
  const listener = await listen(address, (socket) => {
    new ClientConversation(socket, roster, faults).run().catch(() => socket.destroy())
  })
  return {
    port: listener.port,
    faults,
    faultsFor: (serial) => roster.require(serial).faults,
    get connections() {
      return listener.connections
    },
    addHost: (phone) => roster.add(phone),
    removeHost: (serial) => roster.remove(serial),
    setDeviceState: (serial, state, how) => roster.setState(serial, state, how?.quiet),
    cut: ({ serial, ...how } = {}) => {
      if (serial === undefined) listener.cut(how)
      else roster.require(serial).lose()
    },
    stop: () => listener.stop(),
    start: () => listener.start(),
    close: () => listener.stop(),
  }
}
