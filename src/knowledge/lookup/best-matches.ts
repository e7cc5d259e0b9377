interface Found {
  readonly slot: number
  readonly score: number
}

/** The best of what it is shown: the higher score first, of equal ones the lower rank. */
export class BestMatches {
  readonly #size: number
  readonly #ranks: Int32Array
  readonly #best: Found[] = []
  /** What a score must at least be to come in. */
  floor: number

  constructor(size: number, { floor, ranks }: { floor: number; ranks: Int32Array }) {
    this.#size = size
    this.floor = floor
    this.#ranks = ranks
  }

  /** False when it is not among the best so far. */
  add(slot: number, score: number): boolean {
    if (score < this.floor) return false
    const best = this.#best
    let at = best.length
    while (at > 0 && this.#isBefore(slot, score, best[at - 1])) at -= 1
    if (at === this.#size) return false
    best.splice(at, 0, { slot, score })
    if (best.length > this.#size) best.pop()
    if (best.length === this.#size) this.floor = best.at(-1)?.score ?? this.floor
    return true
  }

  get found(): readonly Found[] {
    return this.#best
  }

  #isBefore(slot: number, score: number, other: Found | undefined): boolean {
    if (other === undefined || score !== other.score) return score > (other?.score ?? 0)
    return (this.#ranks[slot] ?? 0) < (this.#ranks[other.slot] ?? 0)
  }
}
