import { type Backoff, backoffMs } from '../../timing/backoff.ts'
import type { EventEmitter } from 'node:events'
import type { ListedDevice } from './adb-client.ts'
import type { ServerAddress } from './adb-socket.ts'
import { openAdbkit } from './adbkit-call.ts'
import type { AdbkitSession } from './adbkit-call.ts'

export interface TrackerEvents {
  /** The whole device list, at the start and after every change. */
  listed(devices: readonly ListedDevice[]): void
  serverDown(): void
}

/**
 * Follows the device list of the server and reconnects, with exponential backoff, if the server goes down.
 * Reports can be late: a server may list a lost TCP device for a minute.
 */
export class AdbTracker {
  readonly #server: ServerAddress
  readonly #events: TrackerEvents
  readonly #backoff: Backoff
  #session: AdbkitSession | undefined
  #timer: NodeJS.Timeout | undefined
  #stopped = true
  #failures = 0

  constructor(server: ServerAddress, events: TrackerEvents, backoff: Backoff) {
    this.#server = server
    this.#events = events
    this.#backoff = backoff
  }

  start(): void {
    this.#stopped = false
    this.#open()
  }

  stop(): void {
    this.#stopped = true
    clearTimeout(this.#timer)
    this.#session?.close()
  }

  #open(): void {
    let isEnded = false
    const end = () => {
      if (isEnded) return
      isEnded = true
      session.close()
      this.#retry()
    }
    const listed = (devices: readonly ListedDevice[]) => {
      this.#failures = 0
      if (!isEnded) this.#events.listed(devices)
    }
    const session = openAdbkit(this.#server, end)
    this.#session = session
    // Listeners are added in `then`: after an `await` the first list would be missed.
    session.client.trackDevices().then((tracker) => follow(tracker, listed, end), end)
  }

  #retry(): void {
    if (this.#stopped) return
    this.#events.serverDown()
    const pauseMs = backoffMs(this.#backoff, this.#failures)
    this.#failures += 1
    this.#timer = setTimeout(() => this.#open(), pauseMs)
  }
}

function follow(
  tracker: EventEmitter,
  listed: (devices: readonly ListedDevice[]) => void,
  end: () => void,
): EventEmitter {
  const present = new Map<string, ListedDevice>()
  const put = (device: { id: string; type: string }) =>
    void present.set(device.id, { serial: device.id, state: device.type })
  return tracker
    .on('add', put)
    .on('change', put)
    .on('remove', (device: { id: string }) => void present.delete(device.id))
    .on('changeSet', () => listed([...present.values()]))
    .on('error', end)
    .on('end', end)
}
