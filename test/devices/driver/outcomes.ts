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
export async function eventually<T>(read: () => T | Promise<T>, holds: (value: T) => boolean): Promise<T> {
  const deadline = performance.now() + NEVER_MS
  for (;;) {
    const value = await read()
    if (holds(value)) return value
    if (performance.now() > deadline) throw new Error(`the condition never held; last value: ${String(value)}`)
    await sleep(10)
  }
}

export const SOON = { timeoutMs: 10_000 }
