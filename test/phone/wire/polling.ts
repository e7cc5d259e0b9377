import { expect } from 'vitest'

/** Asserts on what a probe will find before long, on however busy a machine. */
export function eventually<T>(probe: () => T) {
  return expect.poll(probe, { timeout: 10_000, interval: 10 })
}

/** Of the whole process: other test files of this worker may still have some. */
export function openSockets(): number {
  return process.getActiveResourcesInfo().filter((name) => name.startsWith('TCP')).length
}
