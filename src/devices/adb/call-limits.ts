import { setTimeout as sleep } from 'node:timers/promises'
import { TransportFailure } from './transport-failure.ts'

/** The limits of a device call: it ends with its answer, its time limit or the signal of the caller. */
export interface CallLimits {
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
  /** The group of the call. Closing the group cancels the call. */
  readonly group?: CallGroup | undefined
}

/** Calls that are cancelled together. Cheaper than one signal per call. */
export class CallGroup {
  readonly #calls = new Set<Cancellable>()
  #closed = false

  get closed(): boolean {
    return this.#closed
  }

  close(): void {
    this.#closed = true
    for (const call of this.#calls) call.cancel()
  }

  add(call: Cancellable): void {
    this.#calls.add(call)
  }

  delete(call: Cancellable): void {
    this.#calls.delete(call)
  }
}

interface Cancellable {
  cancel(): void
}

/** A time limit shared by the steps of one larger call. */
export interface Budget {
  /** The limits of the next step, with the remaining time. */
  remainingLimits(): CallLimits
  remainingMs(): number
}

export function startBudget(limits: CallLimits): Budget {
  const { timeoutMs, signal, group } = limits
  const endsAt = performance.now() + timeoutMs
  const remainingMs = () => Math.max(0, endsAt - performance.now())
  return { remainingMs, remainingLimits: () => ({ timeoutMs: remainingMs(), signal, group }) }
}

/** Registers what must be released when a bounded call ends. */
export interface Scope {
  onEnd(release: () => void): void
  /** Released only if the call fails. */
  onFailure(release: () => void): void
  /** Marks that the command was sent to the device. */
  commandSent(): void
}

/**
 * Runs `work` within limits. The returned promise settles at the latest at the time limit, and everything
 * registered in the scope is released by then, even if the work itself never settles.
 */
export function withLimits<T>(limits: CallLimits, subject: Subject, work: (scope: Scope) => Promise<T>): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    new BoundedCall(limits, subject, { resolve, reject }).start(work)
  })
}

interface Subject {
  readonly serial?: string
  readonly what: string
}

interface Settlement<T> {
  resolve(value: T): void
  reject(error: unknown): void
}

/** Longer delays overflow the timer, which then fires at once. */
const MAX_TIMER_MS = 2_147_483_647

/** Every command creates one of these, so it is one object instead of several closures. */
class BoundedCall<T> implements Scope, Cancellable {
  readonly #limits: CallLimits
  readonly #subject: Subject
  readonly #settlement: Settlement<T>
  readonly #always: (() => void)[] = []
  readonly #onFailure: (() => void)[] = []
  #timer: NodeJS.Timeout | undefined
  #outcome: 'done' | 'failed' | undefined
  #sent = false

  constructor(limits: CallLimits, subject: Subject, settlement: Settlement<T>) {
    this.#limits = limits
    this.#subject = subject
    this.#settlement = settlement
  }

  start(work: (scope: Scope) => Promise<T>): void {
    const { timeoutMs, signal, group } = this.#limits
    if (signal?.aborted || group?.closed) return this.cancel()
    if (timeoutMs <= 0) return this.#interrupt('deadline', 'no time left to start')
    this.#timer = setTimeout(expire, Math.min(timeoutMs, MAX_TIMER_MS), this)
    signal?.addEventListener('abort', this)
    group?.add(this)
    // Started synchronously, so that nothing runs between a check of the caller and the work.
    try {
      work(this).then(
        (value) => this.#succeed(value),
        (error: unknown) => this.#fail(error),
      )
    } catch (error) {
      this.#fail(error)
    }
  }

  // The work may continue after the call has ended. What it opens then is released at once.
  onEnd(release: () => void): void {
    if (this.#outcome) release()
    else this.#always.push(release)
  }

  onFailure(release: () => void): void {
    if (this.#outcome) release()
    else this.#onFailure.push(release)
  }

  commandSent(): void {
    this.#sent = true
  }

  cancel(): void {
    this.#interrupt('aborted', 'aborted by the caller')
  }

  /** Handles `abort` of the signal. */
  handleEvent(): void {
    this.cancel()
  }

  expire(): void {
    this.#interrupt('deadline', 'no answer within its time limit')
  }

  #succeed(value: T): void {
    if (this.#outcome) return
    this.#end('done')
    this.#settlement.resolve(value)
  }

  #fail(error: unknown): void {
    if (this.#outcome) return
    this.#end('failed')
    this.#settlement.reject(error)
  }

  #interrupt(kind: 'deadline' | 'aborted', message: string): void {
    if (this.#outcome) return
    const { serial, what } = this.#subject
    const facts = { serial, commandSent: this.#sent }
    this.#fail(new TransportFailure(kind, `${what}: ${message}`, facts))
  }

  #end(outcome: 'done' | 'failed'): void {
    clearTimeout(this.#timer)
    this.#limits.signal?.removeEventListener('abort', this)
    this.#limits.group?.delete(this)
    this.#outcome = outcome
    if (outcome === 'failed') for (const release of this.#onFailure) release()
    for (const release of this.#always) release()
  }
}

function expire(call: { expire(): void }): void {
  call.expire()
}

/** Waits. Throws `aborted` if the signal aborts first. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, signal === undefined ? {} : { signal })
  } catch {
    throw new TransportFailure('aborted', 'aborted by the caller while waiting')
  }
}
