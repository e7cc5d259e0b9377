import { setTimeout as sleep } from 'node:timers/promises'
import { TransportFailure } from './transport-failure.ts'

/** Every call to a device ends: by its own answer, by its time limit or by its caller's signal. */
export interface CallLimits {
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
  /** Whoever the call is made for, if that can be closed before the call has ended. */
  readonly group?: CallGroup | undefined
}

/** Calls that end together. Cheaper than a signal for each, and closed only once. */
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
  /** What is left, as the limits of the next step. */
  rest(): CallLimits
  remainingMs(): number
}

export function startBudget(limits: CallLimits): Budget {
  const { timeoutMs, signal, group } = limits
  const endsAt = performance.now() + timeoutMs
  const remainingMs = () => Math.max(0, endsAt - performance.now())
  return { remainingMs, rest: () => ({ timeoutMs: remainingMs(), signal, group }) }
}

/** What a bounded piece of work must give back when it ends, however it ends. */
export interface Scope {
  onEnd(release: () => void): void
  /** For what outlives the call when it succeeds. */
  onFailure(release: () => void): void
  /** Marks that the device has been handed the command. */
  commandSent(): void
}

/**
 * Runs `work` within limits. The returned promise settles at the latest when the limits say so, and
 * everything the work registered is released by then, even if the work itself never settles.
 */
export function within<T>(
  limits: CallLimits,
  subject: Subject,
  work: (scope: Scope) => Promise<T>,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    new BoundedCall(limits, subject, { resolve, reject }).start(work)
  })
}

interface Subject {
  readonly serial?: string
  readonly what: string
}

interface Settling<T> {
  resolve(value: T): void
  reject(error: unknown): void
}

/** Longer delays overflow the timer and would fire at once. */
const MAX_TIMER_MS = 2_147_483_647

/** Every command passes through here, so it is one object and not a handful of closures. */
class BoundedCall<T> implements Scope, Cancellable {
  readonly #limits: CallLimits
  readonly #subject: Subject
  readonly #settling: Settling<T>
  readonly #always: (() => void)[] = []
  readonly #onFailure: (() => void)[] = []
  #timer: NodeJS.Timeout | undefined
  #outcome: 'done' | 'failed' | undefined
  #sent = false

  constructor(limits: CallLimits, subject: Subject, settling: Settling<T>) {
    this.#limits = limits
    this.#subject = subject
    this.#settling = settling
  }

  start(work: (scope: Scope) => Promise<T>): void {
    const { timeoutMs, signal, group } = this.#limits
    if (signal?.aborted || group?.closed) return this.cancel()
    if (timeoutMs <= 0) return this.#cut('deadline', 'no time left to start')
    this.#timer = setTimeout(expire, Math.min(timeoutMs, MAX_TIMER_MS), this)
    signal?.addEventListener('abort', this)
    group?.add(this)
    // Started at once, so that a caller's check and the work it guards are one step.
    try {
      work(this).then(
        (value) => this.#succeed(value),
        (error: unknown) => this.#fail(error),
      )
    } catch (error) {
      this.#fail(error)
    }
  }

  // The work may go on for a moment after its call has ended: what it opens then goes at once.
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
    this.#cut('aborted', 'aborted by the caller')
  }

  /** The caller's signal. */
  handleEvent(): void {
    this.cancel()
  }

  expire(): void {
    this.#cut('deadline', 'no answer within its time limit')
  }

  #succeed(value: T): void {
    if (this.#outcome) return
    this.#end('done')
    this.#settling.resolve(value)
  }

  #fail(error: unknown): void {
    if (this.#outcome) return
    this.#end('failed')
    this.#settling.reject(error)
  }

  #cut(kind: 'deadline' | 'aborted', message: string): void {
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

/** Waits. Throws `aborted` when the signal fires first. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, signal === undefined ? {} : { signal })
  } catch {
    throw new TransportFailure('aborted', 'aborted by the caller while waiting')
  }
}
