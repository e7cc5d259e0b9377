interface RankedMatch {
  readonly slot: number
  readonly score: number
}

/** Keeps the best slots added to it, ordered by descending score, then by ascending rank. */
export class BestMatches {
  readonly #size: number
  readonly #ranks: Int32Array
  readonly #best: RankedMatch[] = []
  /** The lowest score that is accepted. Rises once `size` matches are stored. */
  minScore: number

  constructor(size: number, { minScore, ranks }: { minScore: number; ranks: Int32Array }) {
    this.#size = size
    this.minScore = minScore
    this.#ranks = ranks
  }

  /** Returns false if the slot is not among the best so far. */
  add(slot: number, score: number): boolean {
    if (score < this.minScore) return false
    const best = this.#best
    let at = best.length
    while (at > 0 && this.#isBefore(slot, score, best[at - 1])) at -= 1
    if (at === this.#size) return false
    best.splice(at, 0, { slot, score })
    if (best.length > this.#size) best.pop()
    if (best.length === this.#size) this.minScore = best.at(-1)?.score ?? this.minScore
    return true
  }

  get matches(): readonly RankedMatch[] {
    return this.#best
  }

  #isBefore(slot: number, score: number, other: RankedMatch | undefined): boolean {
    if (other === undefined || score !== other.score) return score > (other?.score ?? 0)
    return (this.#ranks[slot] ?? 0) < (this.#ranks[other.slot] ?? 0)
  }
}
