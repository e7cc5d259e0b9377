import { type PhoneClock, systemClock } from '@apprentice/phone/phone.ts'

/**
 * A phone clock that counts the commands of the phone. A phone sleeps on its clock during every command (a touch, a
 * dump, a picture, a launch), so the clock knows how many commands run and can hold them.
 */
export class ObservedClock implements PhoneClock {
  /** The number of commands that run now, and the maximum so far. */
  busy = 0
  maxBusy = 0
  /** The number of commands that were started. */
  commandCount = 0
  #gate: (() => Promise<void>) | undefined

  now(): number {
    return systemClock.now()
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    this.commandCount += 1
    this.busy += 1
    this.maxBusy = Math.max(this.maxBusy, this.busy)
    try {
      if (this.#gate !== undefined) await orAborted(this.#gate(), signal)
      await systemClock.sleep(ms, signal)
    } finally {
      this.busy -= 1
    }
  }

  /** Holds all commands until the returned function is called. */
  hold(): () => void {
    let open = (): void => {}
    const opened = new Promise<void>((resolve) => {
      open = resolve
    })
    this.#gate = () => opened
    return () => {
      this.#gate = undefined
      open()
    }
  }

  /** Makes each command wait at a barrier. */
  waitAt(barrier: () => Promise<void>): void {
    this.#gate = barrier
  }
}

/** Creates a barrier that opens when `count` commands wait at it. */
export function barrier(count: number): () => Promise<void> {
  let waiting = 0
  let open = (): void => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return () => {
    waiting += 1
    if (waiting >= count) open()
    return opened
  }
}

async function orAborted(opened: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  let onAbort = (): void => {}
  const aborted = new Promise<void>((resolve) => {
    onAbort = resolve
  })
  if (signal?.aborted === true) return
  signal?.addEventListener('abort', onAbort)
  await Promise.race([opened, aborted])
  signal?.removeEventListener('abort', onAbort)
}
