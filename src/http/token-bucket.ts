interface Bucket {
  tokens: number
  at_ms: number
}

/** So many requests a second per key, with a burst. */
export class TokenBuckets {
  readonly #perSecond: number
  readonly #burst: number
  readonly #buckets = new Map<string, Bucket>()

  constructor(perSecond: number, burst: number) {
    this.#perSecond = perSecond
    this.#burst = burst
  }

  /** Seconds to wait, or 0 when the request may pass. */
  take(key: string, nowMs: number): number {
    const bucket = this.#buckets.get(key) ?? { tokens: this.#burst, at_ms: nowMs }
    const refill = (Math.max(0, nowMs - bucket.at_ms) / 1000) * this.#perSecond
    bucket.tokens = Math.min(this.#burst, bucket.tokens + refill)
    bucket.at_ms = nowMs
    this.#buckets.set(key, bucket)
    if (bucket.tokens < 1) return Math.ceil((1 - bucket.tokens) / this.#perSecond)
    bucket.tokens -= 1
    return 0
  }
}
