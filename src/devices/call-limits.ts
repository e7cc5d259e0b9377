import { TransportFailure } from './transport-failure.ts'

/** Every call to a device ends: by its own answer, by its time limit or by its caller's signal. */
export interface CallLimits {
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
}

/** A time limit shared by the steps of one larger call. */
export interface Budget {
  /** What is left, as the limits of the next step. */
  rest(): CallLimits
  remainingMs(): number
}

export function startBudget(limits: CallLimits): Budget {
  const endsAt = performance.now() + limits.timeoutMs
  const remainingMs = () => Math.max(0, endsAt - performance.now())
  return { remainingMs, rest: () => ({ timeoutMs: remainingMs(), signal: limits.signal }) }
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
  subject: { readonly serial?: string; readonly what: string },
  work: (scope: Scope) => Promise<T>,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const scope = openScope()
    const finish = (outcome: 'done' | 'failed', settle: () => void) => {
      if (scope.ended) return
      clearTimeout(timer)
      limits.signal?.removeEventListener('abort', onAbort)
      scope.end(outcome)
      settle()
    }
    const cut = (kind: 'deadline' | 'aborted', message: string) => {
      const facts = { serial: subject.serial, commandSent: scope.sent }
      finish('failed', () =>
        reject(new TransportFailure(kind, `${subject.what}: ${message}`, facts)),
      )
    }
    const onAbort = () => cut('aborted', 'aborted by the caller')
    const timeoutMs = Math.min(Math.max(0, limits.timeoutMs), MAX_TIMER_MS)
    const timer = setTimeout(() => cut('deadline', `no answer within its time limit`), timeoutMs)
    if (limits.signal?.aborted) return onAbort()
    if (limits.timeoutMs <= 0) return cut('deadline', 'no time left to start')
    limits.signal?.addEventListener('abort', onAbort, { once: true })
    // Started at once, so that a caller's check and the work it guards are one step.
    const started = (async () => work(scope))()
    started.then(
      (value) => finish('done', () => resolve(value)),
      (error: unknown) => finish('failed', () => reject(error)),
    )
  })
}

/** Longer delays overflow the timer and would fire at once. */
const MAX_TIMER_MS = 2_147_483_647

interface OpenScope extends Scope {
  readonly ended: boolean
  readonly sent: boolean
  end(outcome: 'done' | 'failed'): void
}

function openScope(): OpenScope {
  const always: (() => void)[] = []
  const onFailure: (() => void)[] = []
  let outcome: 'done' | 'failed' | undefined
  let sent = false
  return {
    get ended() {
      return outcome !== undefined
    },
    get sent() {
      return sent
    },
    commandSent() {
      sent = true
    },
    // The work may go on for a moment after its call has ended: what it opens then goes at once.
    onEnd: (release) => void (outcome ? release() : always.push(release)),
    onFailure: (release) => void (outcome ? release() : onFailure.push(release)),
    end(how) {
      outcome = how
      for (const release of how === 'failed' ? [...onFailure, ...always] : always) release()
    },
  }
}

/** Waits unless the caller gives up first. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      clearTimeout(timer)
      reject(new TransportFailure('aborted', 'aborted by the caller while waiting'))
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    }, ms)
    if (signal?.aborted) onAbort()
    else signal?.addEventListener('abort', onAbort, { once: true })
  })
}
