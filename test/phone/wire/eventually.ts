import { expect } from 'vitest'

/** Asserts on what a probe will find before long, on however busy a machine. */
export function eventually<T>(probe: () => T) {
  return expect.poll(probe, { timeout: 10_000, interval: 10 })
}
