import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { TransportFailure } from '../../../src/devices/adb/transport-failure.ts'

/** The transport failure of a call. Fails the test on any other outcome or a timeout. */
export async function transportFailure(call: Promise<unknown>): Promise<TransportFailure> {
  const outcome = await Promise.race([
    call.then(
      (value) => ({ resolved: value }),
      (error: unknown) => ({ error }),
    ),
    sleep(NEVER_MS, { error: new Error('the call never settled') }, { ref: false }),
  ])
  expect(outcome).toHaveProperty('error')
  const error = 'error' in outcome ? outcome.error : undefined
  expect(error).toBeInstanceOf(TransportFailure)
  return error as TransportFailure
}

/** Far beyond every time limit used in these tests. */
const NEVER_MS = 20_000

/** Waits until a condition holds. On timeout fails with the last value. */
export async function eventually<T>(
  look: () => T | Promise<T>,
  good: (seen: T) => boolean,
): Promise<T> {
  const giveUpAt = performance.now() + NEVER_MS
  for (;;) {
    const seen = await look()
    if (good(seen)) return seen
    if (performance.now() > giveUpAt)
      throw new Error(`never came to be; last seen: ${String(seen)}`)
    await sleep(10)
  }
}

export const SOON = { timeoutMs: 10_000 }
