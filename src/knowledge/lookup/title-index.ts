import { type Bits, Tally } from './bits.ts'
import type { Query } from './scorer.ts'
import type { WordBook } from './vocabulary.ts'
import { WordLists } from './word-index.ts'

/** Finds the titles that two of a query's words are found in. */
export class TitleIndex {
  readonly #lists: WordLists
  readonly #tally = new Tally()

  constructor(book: WordBook) {
    this.#lists = new WordLists(book)
  }

  /** Returns the number it is removed by. */
  add(text: string, slot: number): number {
    return this.#lists.add(text, slot)
  }

  remove(number: number): void {
    this.#lists.remove(number)
  }

  /**
   * The slots, which are below `room`, until the next query. An empty word is found in every title; a query with two
   * of them meets all, which is not told here.
   */
  meet({ words }: Query, room: number): Bits {
    const said = words.filter((word) => word !== '')
    this.#tally.reset(room)
    if (words.length >= 2) {
      for (const word of said) this.#tally.add(this.#lists.slotsContaining(word, room))
    }
    return said.length === words.length ? this.#tally.twice : this.#tally.once
  }
}
