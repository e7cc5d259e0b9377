import type { Retry } from '@apprentice/contracts/devices/action.ts'
import type { EngineExecution } from './engine-execution.ts'
import { dismissObstruction } from './obstruction.ts'
import { LoadingWait } from './loading-wait.ts'
import { StepFailure } from './step-failure.ts'

/**
 * Repeats an attempt until it succeeds, the attempts are used up, or the remaining time is too short for
 * the delay and another attempt of the same duration. Then the last failure is thrown. Attempts that fail
 * because of a dismissed obstruction or a loading screen are not counted.
 */
export async function withRetry<T>(execution: EngineExecution, retry: Retry, attempt: () => Promise<T>): Promise<T> {
  const delays = createRetryDelays(retry, () => execution.random())
  const loading = new LoadingWait(execution)
  for (let attempts = 1; ; attempts += 1) {
    const startedMs = execution.now()
    try {
      return await attempt()
    } catch (error) {
      if (!(error instanceof StepFailure) || !error.retryable) throw error
      if (await isFreeRetry(execution, error, retry.maxAttempts > 1 ? loading : undefined)) {
        attempts -= 1
        continue
      }
      const waitMs = delays()
      const enough = execution.remainingMs() > waitMs + (execution.now() - startedMs)
      if (attempts >= retry.maxAttempts || !enough) throw error.toExhausted(attempts)
      execution.lastError = error.error
      await execution.sleep(waitMs)
    }
  }
}

/** `loading` is undefined if only one attempt is allowed: then loading screens are not waited for. */
async function isFreeRetry(
  execution: EngineExecution,
  failure: StepFailure,
  loading: LoadingWait | undefined,
): Promise<boolean> {
  execution.lastError = failure.error
  if (failure.seen !== undefined && (await dismissObstruction(execution, failure.seen))) return true
  if (loading?.shouldWait(failure.seen) !== true) return false
  await loading.pause()
  return true
}

/** Each call returns the next delay: exponential up to the maximum, plus jitter. */
export function createRetryDelays(retry: Retry, random: () => number): () => number {
  let baseMs = retry.initialDelayMs
  return () => {
    const delayMs = baseMs * (1 + retry.jitterRatio * (2 * random() - 1))
    baseMs = Math.min(baseMs * retry.backoffMultiplier, retry.maxDelayMs)
    return Math.max(0, Math.round(delayMs))
  }
}
