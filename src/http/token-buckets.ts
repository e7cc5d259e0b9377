interface Bucket {
  tokens: number
  at_ms: number
}

/** Above this number of buckets, full ones are removed before a new one is added. */
const SWEEP_SIZE = 1000

/** Limits the requests per second of each key, with a burst. */
export class TokenBuckets {
  readonly #perSecond: number
  readonly #burst: number
  readonly #buckets = new Map<string, Bucket>()
  #sweepAt = SWEEP_SIZE

  constructor(perSecond: number, burst: number) {
    this.#perSecond = perSecond
    this.#burst = burst
  }

  get size(): number {
    return this.#buckets.size
  }

  /** Takes one token. Returns 0, or the seconds to wait when the bucket is empty. */
  take(key: string, nowMs: number): number {
    const bucket = this.#buckets.get(key) ?? this.#add(key, nowMs)
    bucket.tokens = this.#refilled(bucket, nowMs)
    bucket.at_ms = nowMs
    if (bucket.tokens < 1) return Math.ceil((1 - bucket.tokens) / this.#perSecond)
    bucket.tokens -= 1
    return 0
  }

  #add(key: string, nowMs: number): Bucket {
    if (this.#buckets.size >= this.#sweepAt) this.#sweep(nowMs)
    const bucket = { tokens: this.#burst, at_ms: nowMs }
    this.#buckets.set(key, bucket)
    return bucket
  }

  /** Removes full buckets: they equal new ones. What stays was used within the time a bucket takes to fill. */
  #sweep(nowMs: number): void {
    for (const [key, bucket] of this.#buckets) {
      if (this.#refilled(bucket, nowMs) >= this.#burst) this.#buckets.delete(key)
    }
    this.#sweepAt = Math.max(SWEEP_SIZE, this.#buckets.size * 2)
  }

  #refilled({ tokens, at_ms }: Bucket, nowMs: number): number {
    const refill = (Math.max(0, nowMs - at_ms) / 1000) * this.#perSecond
    return Math.min(this.#burst, tokens + refill)
  }
}
