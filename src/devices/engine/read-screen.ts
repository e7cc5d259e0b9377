import type { Retry } from '@apprentice/contracts/devices/action.ts'
import type { EngineExecution } from './engine-execution.ts'
import { withRetry } from './retry.ts'
import type { ScreenReadResult, ScreenReading } from './screen-reading.ts'
import { OutOfTime, StepFailure } from './step-failure.ts'
import { TransportFailure } from '../adb/transport-failure.ts'

/** Reads the screen once. Throws a retryable failure if it cannot be read. */
export async function readScreenOnce(execution: EngineExecution): Promise<ScreenReading> {
  const result = await execution.dumpScreen()
  if (result.ok) return result.reading
  throw toTreeFailure(result)
}

/** Reads the screen with its own retries, for actions that must not be repeated as a whole. */
export function readScreen(execution: EngineExecution): Promise<ScreenReading> {
  return withRetry(execution, READ_RETRY, () => readScreenOnce(execution))
}

const READ_RETRY: Retry = {
  maxAttempts: 4,
  initialDelayMs: 200,
  maxDelayMs: 800,
  backoffMultiplier: 2,
  jitterRatio: 0,
}

/** Reads the screen for evidence. Returns undefined if it cannot be read. */
export async function tryReadScreen(execution: EngineExecution): Promise<ScreenReading | undefined> {
  try {
    const result = await execution.dumpScreen()
    return result.ok ? result.reading : undefined
  } catch (error) {
    if (error instanceof TransportFailure || error instanceof OutOfTime) return undefined
    throw error
  }
}

export function toTreeFailure({ kind, text }: Exclude<ScreenReadResult, { ok: true }>): StepFailure {
  return new StepFailure('UI_TREE_UNAVAILABLE', EXPLANATIONS[kind] ?? 'The screen dump is unusable.', {
    retryable: true,
    data: { kind, ...(text !== '' && { detail: text.slice(0, 500) }) },
  })
}

const EXPLANATIONS: Readonly<Record<string, string>> = {
  not_idle: 'The screen did not become idle: something on it keeps moving.',
  null_root: 'The device shows no window: the screen may be off or changing.',
  other_client: 'Another tool is reading the screen, and only one can at a time.',
  killed: 'The screen dump was killed on the device.',
  crashed: 'The screen dump ended without a result.',
  truncated: 'The screen dump is incomplete.',
}
