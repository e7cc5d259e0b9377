import type { Retry } from '@apprentice/contracts/devices/action.ts'
import type { EngineRun } from './engine-run.ts'
import { retrying } from './retrying.ts'
import type { Look, ScreenReading } from './screen-reading.ts'
import { OutOfTime, StepFailure } from './step-failure.ts'
import { TransportFailure } from '../adb/transport-failure.ts'

/** One look that must succeed; the caller's own retries are for the case that it does not. */
export async function lookOrFail(run: EngineRun): Promise<ScreenReading> {
  const look = await run.look()
  if (look.ok) return look.reading
  throw treeUnavailable(look)
}

/** A look in the middle of an action, which must not be begun anew: only the look is repeated. */
export function readScreen(run: EngineRun): Promise<ScreenReading> {
  return retrying(run, READ_RETRY, () => lookOrFail(run))
}

const READ_RETRY: Retry = {
  maxAttempts: 4,
  initialDelayMs: 200,
  maxDelayMs: 800,
  backoffMultiplier: 2,
  jitterRatio: 0,
}

/** A look for the record: without one the step is as good as with it. */
export async function glance(run: EngineRun): Promise<ScreenReading | undefined> {
  try {
    const look = await run.look()
    return look.ok ? look.reading : undefined
  } catch (error) {
    if (error instanceof TransportFailure || error instanceof OutOfTime) return undefined
    throw error
  }
}

export function treeUnavailable({ kind, text }: Exclude<Look, { ok: true }>): StepFailure {
  return new StepFailure('UI_TREE_UNAVAILABLE', EXPLAINED[kind] ?? 'The dump was unusable.', {
    retryable: true,
    data: { kind, ...(text !== '' && { detail: text.slice(0, 500) }) },
  })
}

const EXPLAINED: Readonly<Record<string, string>> = {
  not_idle: 'The screen did not come to rest: something on it keeps moving.',
  null_root: 'The device shows no window: it may be off or changing screens.',
  other_client: 'Another tool holds the only place for reading the screen.',
  killed: 'The dump was killed on the device.',
  crashed: 'The dump ended without a result.',
  truncated: 'The dump is cut off.',
}
