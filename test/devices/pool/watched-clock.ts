import { type PhoneClock, systemClock } from '@apprentice/phone/phone.ts'

/**
 * The clock of a phone that can be looked at. Whatever a phone takes time for (a touch, a dump, a picture, a
 * launch) it sleeps on its clock, so the clock knows what the phone is doing and can hold it there.
 */
export class WatchedClock implements PhoneClock {
  /** Commands the phone is busy with now, and the most it ever was at once. */
  busy = 0
  mostBusy = 0
  /** Commands that took time, ended or not. */
  begun = 0
  #gate: (() => Promise<void>) | undefined

  now(): number {
    return systemClock.now()
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    this.begun += 1
    this.busy += 1
    this.mostBusy = Math.max(this.mostBusy, this.busy)
    try {
      if (this.#gate !== undefined) await orAborted(this.#gate(), signal)
      await systemClock.sleep(ms, signal)
    } finally {
      this.busy -= 1
    }
  }

  /** Commands stop where they would take time until the answer is called. */
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

  /** Each command waits for the others that are to meet it there. */
  meet(barrier: () => Promise<void>): void {
    this.#gate = barrier
  }
}

/** Opens once as many as `count` wait at it at the same time. */
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
  let giveUp = (): void => {}
  const given = new Promise<void>((resolve) => {
    giveUp = resolve
  })
  if (signal?.aborted === true) return
  signal?.addEventListener('abort', giveUp)
  await Promise.race([opened, given])
  signal?.removeEventListener('abort', giveUp)
}
