import type { PhoneHost } from '../host/host.ts'
import { ClientConnection } from './client-connection.ts'
import { DeviceRoster, type DeviceState } from './device-roster.ts'
import { FaultSwitch } from './faults.ts'
import { listen } from './listener.ts'

export interface AdbServer {
  readonly port: number
  /** Faults of all phones. `freeze` also delays the server's own answers. */
  readonly faults: FaultSwitch
  /** Faults of one phone, in addition to those of all phones. */
  faultsFor(serial: string): FaultSwitch
  /** Number of open client connections. */
  readonly connections: number
  addHost(host: PhoneHost): void
  /** Removes the phone from the list and closes its streams. */
  removeHost(serial: string): void
  /**
   * Sets the state of a phone. Any state except `device` also closes its streams. With `quiet`,
   * tracking clients are notified only with the next change: adb 29 reports the loss of a network
   * phone after about one minute.
   */
  setDeviceState(serial: string, state: DeviceState, options?: { readonly quiet?: boolean }): void
  /**
   * With a serial, closes the streams of that phone. Without, closes all client connections; with
   * `reset`, by a TCP reset.
   */
  cut(options?: { readonly serial?: string; readonly reset?: boolean }): void
  /** Closes all connections and stops listening. */
  stop(): Promise<void>
  /** Listens again on the same port, with the same phones. */
  start(): Promise<void>
  close(): Promise<void>
}

/** Starts an adb server with simulated phones attached. adb clients connect to its TCP port. */
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
    new ClientConnection(socket, roster, faults).run().catch(() => socket.destroy())
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
      else roster.require(serial).closeStreams()
    },
    stop: () => listener.stop(),
    start: () => listener.start(),
    close: () => listener.stop(),
  }
}
