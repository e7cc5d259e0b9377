import { type Bits, dropBit, eachBit, hasBit, joinInto, makeBits, putBit, Tally } from './bits.ts'
import { InnerTexts } from './substring-index.ts'
import { Numbers } from './int-list.ts'
import type { Query } from './scorer.ts'
import type { WordBook } from './vocabulary.ts'
import { WordLists } from './word-index.ts'

/** To compare a text costs as much as to count so many. */
const worthComparing = 16

/** The abilities with a trigger that a query met. Of several triggers of one ability the first that is met decides. */
export interface TriggerMatch {
  /** It is in the query whole, or the query in it. */
  readonly full: Bits
  /** It has two words of the query. */
  readonly partial: Bits
}

/** Finds the triggers a query contains, those that contain it, and those it shares two words with. */
export class TriggerIndex {
  readonly #book: WordBook
  readonly #lists: WordLists
  /** The how manieth of its ability's triggers a text is. */
  readonly #positions = new Numbers()
  readonly #inner = new InnerTexts()
  #longest = 0
  readonly #tally = new Tally()

  constructor(book: WordBook) {
    this.#book = book
    this.#lists = new WordLists(book)
  }

  /** Returns the number it is removed by. */
  add(text: string, slot: number, position: number): number {
    const number = this.#lists.add(text, slot)
    this.#positions.push(position)
    this.#inner.add(text, number)
    this.#longest = Math.max(this.#longest, text.length)
    return number
  }

  remove(number: number): void {
    this.#inner.remove(this.#lists.text(number), number)
    this.#lists.remove(number)
  }

  /** Slots are below `room`. */
  meet(query: Query, room: number): TriggerMatch {
    const met = { full: makeBits(room), partial: makeBits(room) }
    if (query.words.length === 1) {
      // One word cannot be met in part. A trigger contains it if one of the trigger's words does.
      joinInto(met.full, this.#lists.slotsContaining(query.text, room))
      for (const slot of this.#firstsOf(this.#inner.within(query.text)).keys()) {
        putBit(met.full, slot)
      }
      return met
    }
    const whole = [...this.#inner.within(query.text), ...this.#around(query)]
    const firsts = this.#firstsOf(whole)
    for (const slot of firsts.keys()) putBit(met.full, slot)
    this.#meetSharing(query, met, firsts)
    return met
  }

  /** Of each ability that one of these texts is a trigger of, the position of the first. */
  #firstsOf(numbers: readonly number[]): Map<number, number> {
    const firsts = new Map<number, number>()
    for (const number of numbers) {
      const slot = this.#lists.slots[number] ?? -1
      const position = this.#positions.values[number] ?? 0
      if (slot >= 0 && position < (firsts.get(slot) ?? Infinity)) firsts.set(slot, position)
    }
    return firsts
  }

  /** A word the query says twice counts twice. There may be very many texts with two of the words. */
  #meetSharing(
    { words }: Query,
    { full, partial }: TriggerMatch,
    firsts: Map<number, number>,
  ): void {
    this.#tally.reset(this.#lists.size)
    for (const word of words) {
      const known = this.#book.numberOf(word)
      if (known !== undefined) this.#tally.add(this.#lists.groupWith(known))
    }
    const { slots } = this.#lists
    eachBit(this.#tally.twice, (number) => {
      const slot = slots[number] ?? -1
      if (slot < 0) return
      if (!hasBit(full, slot)) putBit(partial, slot)
      else if ((this.#positions.values[number] ?? 0) < (firsts.get(slot) ?? 0)) {
        dropBit(full, slot)
        putBit(partial, slot)
      }
    })
  }

  /** The texts that contain the whole query. */
  #around({ text, words }: Query): number[] {
    const found: number[] = []
    if (text.length > this.#longest) return found
    const verify = (number: number) => {
      if (this.#lists.text(number).includes(text)) found.push(number)
    }
    const [fewest, next] = this.#conditions(words)
    if (fewest === undefined || next === undefined || next.texts > fewest.texts * worthComparing) {
      for (const word of fewest?.words ?? []) this.#lists.withWord(word).forEach(verify)
      return found
    }
    this.#tally.reset(this.#lists.size)
    for (const word of [...fewest.words, ...next.words]) {
      this.#tally.add(this.#lists.groupWith(word))
    }
    eachBit(this.#tally.twice, verify)
    return found
  }

  /**
   * A text that contains the query has each word of it: those in the middle whole, the first as the end of a word,
   * the last as the beginning of one. For each of these conditions the words that meet it, the rarest first.
   */
  #conditions(words: readonly string[]): { words: readonly number[]; texts: number }[] {
    const last = words.length - 1
    return words
      .flatMap((word, at) => (word === '' ? [] : [this.#fitting(word, at === 0, at === last)]))
      .map((fitting) => ({
        words: fitting,
        texts: fitting.reduce((sum, word) => sum + this.#lists.withWord(word).length, 0),
      }))
      .toSorted((a, b) => a.texts - b.texts)
  }

  #fitting(word: string, ends: boolean, starts: boolean): readonly number[] {
    if (starts || ends) {
      return this.#book.containing(word).filter((number) => {
        const whole = this.#book.word(number)
        return starts ? whole.startsWith(word) : whole.endsWith(word)
      })
    }
    const exact = this.#book.numberOf(word)
    return exact === undefined ? [] : [exact]
  }
}
