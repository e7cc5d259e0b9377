import type { Retry } from '@apprentice/contracts/devices/action.ts'
import type { EngineRun } from './engine-run.ts'
import { clearTheWay } from './in-the-way.ts'
import { LoadingWait } from './loading-wait.ts'
import { StepFailure } from './step-failure.ts'

/**
 * Tries until it works, the tries are used up, or what is left of the time would not do for the wait
 * and another try of the same length. The last failure is the answer then, not the lack of time. What
 * is missing while something known stands in the way, or while the screen is loading, costs no try.
 */
export async function retrying<T>(
  run: EngineRun,
  retry: Retry,
  attempt: () => Promise<T>,
): Promise<T> {
  const delays = retryDelays(retry, () => run.random())
  const loading = new LoadingWait(run)
  for (let tries = 1; ; tries += 1) {
    const startedMs = run.now()
    try {
      return await attempt()
    } catch (error) {
      if (!(error instanceof StepFailure) || !error.retryable) throw error
      if (await isWorthAnother(run, error, retry.maxAttempts > 1 ? loading : undefined)) {
        tries -= 1
        continue
      }
      const waitMs = delays()
      const enough = run.remainingMs() > waitMs + (run.now() - startedMs)
      if (tries >= retry.maxAttempts || !enough) throw error.exhausted(tries)
      run.lastError = error.error
      await run.sleep(waitMs)
    }
  }
}

/** Asked for one try alone, nobody wants to wait for what may come. */
async function isWorthAnother(
  run: EngineRun,
  failure: StepFailure,
  loading: LoadingWait | undefined,
): Promise<boolean> {
  run.lastError = failure.error
  if (failure.seen !== undefined && (await clearTheWay(run, failure.seen))) return true
  if (loading?.isWorthIt(failure.seen) !== true) return false
  await loading.pause()
  return true
}

/** Each call answers the next delay: growing up to the limit, then shaken by the jitter. */
export function retryDelays(retry: Retry, random: () => number): () => number {
  let baseMs = retry.initialDelayMs
  return () => {
    const shaken = baseMs * (1 + retry.jitterRatio * (2 * random() - 1))
    baseMs = Math.min(baseMs * retry.backoffMultiplier, retry.maxDelayMs)
    return Math.max(0, Math.round(shaken))
  }
}
