import { type Bits, PairCounter } from './bits.ts'
import type { Query } from './scorer.ts'
import type { Vocabulary } from './vocabulary.ts'
import { WordIndex } from './word-index.ts'

/** Finds titles that contain two words of a query. */
export class TitleIndex {
  readonly #words: WordIndex
  readonly #counter = new PairCounter()

  constructor(vocabulary: Vocabulary) {
    this.#words = new WordIndex(vocabulary)
  }

  /** Returns a number for `remove`. */
  add(text: string, slot: number): number {
    return this.#words.add(text, slot)
  }

  remove(number: number): void {
    this.#words.remove(number)
  }

  /**
   * The matching slots below `capacity`. The result is valid until the next call. An empty word occurs in every title.
   * A query with two empty words matches all titles; the caller handles that case.
   */
  findMatches({ words }: Query, capacity: number): Bits {
    const present = words.filter((word) => word !== '')
    this.#counter.reset(capacity)
    if (words.length >= 2) {
      for (const word of present) this.#counter.add(this.#words.findSlots(word, capacity))
    }
    return present.length === words.length ? this.#counter.twice : this.#counter.once
  }
}
