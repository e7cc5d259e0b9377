/** How long the phone takes, in milliseconds. A pair is a range. */
export interface LatencyProfile {
  readonly dumpMs: number | readonly [number, number]
  /** Every `input` call starts a Java process on a real phone. */
  readonly inputMs: number
  readonly launchMs: number
  readonly screencapMs: number
  /** What `uiautomator` waits in vain for a quiet screen. */
  readonly idleTimeoutMs: number
}

export const LATENCY_PROFILES = {
  fast: { dumpMs: 0, inputMs: 0, launchMs: 0, screencapMs: 0, idleTimeoutMs: 0 },
  realistic: {
    dumpMs: [1200, 2500],
    inputMs: 250,
    launchMs: 450,
    screencapMs: 180,
    idleTimeoutMs: 10_000,
  },
} as const satisfies Record<string, LatencyProfile>
export type LatencyName = keyof typeof LATENCY_PROFILES

/** Picks from a range with a small seeded generator, so a run can be repeated. */
export function createDelayPicker(
  seed: number,
): (range: number | readonly [number, number]) => number {
  let state = seed >>> 0
  return (range) => {
    if (typeof range === 'number') return range
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    const [low, high] = range
    return low + Math.floor((state / 2 ** 32) * (high - low + 1))
  }
}
