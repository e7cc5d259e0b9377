/** Delays of the phone in milliseconds. A pair is a range. */
export interface LatencyProfile {
  /** How long the snapshot helper takes to read the screen. Default 0. */
  readonly helperMs?: number | readonly [number, number]
  /** How long an instrumentation takes to start. Default 0. */
  readonly instrumentMs?: number
  readonly dumpMs: number | readonly [number, number]
  /** Delay of each `input` call. On a real phone, each call starts a Java process. */
  readonly inputMs: number
  readonly launchMs: number
  readonly screencapMs: number
  /** How long `uiautomator` waits for an idle screen before it fails. */
  readonly idleTimeoutMs: number
}

export const LATENCY_PROFILES = {
  fast: { dumpMs: 0, inputMs: 0, launchMs: 0, screencapMs: 0, idleTimeoutMs: 0 },
  realistic: {
    dumpMs: [1200, 2500],
    helperMs: [400, 600],
    instrumentMs: 700,
    inputMs: 250,
    launchMs: 450,
    screencapMs: 180,
    idleTimeoutMs: 10_000,
  },
} as const satisfies Record<string, LatencyProfile>
export type LatencyName = keyof typeof LATENCY_PROFILES

/** Creates a seeded generator that picks a delay from a range. Equal seeds give equal delays. */
export function createDelayPicker(seed: number): (range: number | readonly [number, number]) => number {
  let state = seed >>> 0
  return (range) => {
    if (typeof range === 'number') return range
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    const [low, high] = range
    return low + Math.floor((state / 2 ** 32) * (high - low + 1))
  }
}
