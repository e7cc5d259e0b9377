import { type Backoff, backoffMs } from '../../timing/backoff.ts'
import type { Sighting } from './sighting.ts'

/**
 * Brings devices on TCP back. An adb server retries a lost one every ten seconds and forgets it after
 * a minute, and a restarted server knows none at all.
 */
export class TcpDevices {
  readonly #kept: ReadonlySet<string>
  readonly #backoff: Backoff
  readonly #reconnect: (serial: string) => Promise<void>
  readonly #wanted = new Map<string, Wanted>()
  #serverUp = false
  #stopped = false

  /** `kept` are held for ever; others seen on TCP until somebody disconnects them on purpose. */
  constructor(
    kept: readonly string[],
    backoff: Backoff,
    reconnect: (serial: string) => Promise<void>,
  ) {
    this.#kept = new Set(kept)
    this.#backoff = backoff
    this.#reconnect = reconnect
    for (const serial of kept) this.#wanted.set(serial, { failures: 0, present: false })
  }

  server(state: 'up' | 'down'): void {
    this.#serverUp = state === 'up'
    if (this.#serverUp) for (const [serial, wanted] of this.#wanted) this.#schedule(serial, wanted)
  }

  seen({ serial, state, previous, cause }: Sighting): void {
    if (!TCP_SERIAL.test(serial)) return
    const wanted = this.#wanted.get(serial) ?? { failures: 0, present: false }
    wanted.present = state !== 'offline' && state !== 'gone'
    if (wanted.present) {
      clearTimeout(wanted.timer)
      wanted.failures = 0
      this.#wanted.set(serial, wanted)
      return
    }
    // Taken off the list of a running server straight from a good state: that was on purpose.
    const dismissed = state === 'gone' && previous !== 'offline' && cause !== 'server_down'
    if (dismissed && !this.#kept.has(serial)) this.#wanted.delete(serial)
    else if (this.#wanted.has(serial)) this.#schedule(serial, wanted)
  }

  /** Connected in name only: a device that left its network without a word. */
  stuck(serial: string): void {
    const wanted = this.#wanted.get(serial)
    if (!wanted) return
    wanted.present = false
    this.#schedule(serial, wanted)
  }

  stop(): void {
    this.#stopped = true
    for (const { timer } of this.#wanted.values()) clearTimeout(timer)
  }

  #schedule(serial: string, wanted: Wanted): void {
    if (this.#stopped || !this.#serverUp || wanted.present || wanted.busy) return
    clearTimeout(wanted.timer)
    const pauseMs = backoffMs(this.#backoff, wanted.failures)
    wanted.timer = setTimeout(() => void this.#attempt(serial, wanted), pauseMs)
  }

  async #attempt(serial: string, wanted: Wanted): Promise<void> {
    wanted.busy = true
    try {
      await this.#reconnect(serial)
    } catch {
      // Not there yet: what it is now is told by the list, and the next try comes by itself.
    }
    wanted.failures += 1
    wanted.busy = false
    if (this.#wanted.get(serial) === wanted) this.#schedule(serial, wanted)
  }
}

interface Wanted {
  failures: number
  present: boolean
  busy?: boolean
  timer?: NodeJS.Timeout
}

/** `host:port`, as TCP devices are named; mDNS names and emulators are the server's own business. */
const TCP_SERIAL = /^(\[[0-9a-f:.%]+\]|[^:\s]+):\d{1,5}$/i
