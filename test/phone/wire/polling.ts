import { expect } from 'vitest'

/** Asserts on the result of a probe, repeated for up to 10 seconds. */
export function eventually<T>(probe: () => T) {
  return expect.poll(probe, { timeout: 10_000, interval: 10 })
}

/** Number of open TCP sockets of the process, including those of other test files. */
export function openSockets(): number {
  return process.getActiveResourcesInfo().filter((name) => name.startsWith('TCP')).length
}
