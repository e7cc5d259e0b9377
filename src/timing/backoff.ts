export interface Backoff {
  readonly firstMs: number
  readonly maxMs: number
}

/** The pause before the next attempt: `firstMs`, doubled with each failure, at most `maxMs`. */
export function backoffMs({ firstMs, maxMs }: Backoff, failures: number): number {
  return Math.min(maxMs, firstMs * 2 ** Math.min(failures, 30))
}
