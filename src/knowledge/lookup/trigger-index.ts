import { type Bits, clearBit, forEachBit, hasBit, addAll, createBits, setBit, PairCounter } from './bits.ts'
import { SubstringIndex } from './substring-index.ts'
import { IntList } from './int-list.ts'
import type { Query } from './scorer.ts'
import type { Vocabulary } from './vocabulary.ts'
import { WordIndex } from './word-index.ts'

/** Comparing one text costs about as much as counting this many. */
const COMPARE_COST = 16

/** The abilities with a matching trigger phrase. The first matching phrase of an ability decides. */
export interface TriggerMatch {
  /** The phrase occurs in the query, or the query in the phrase. */
  readonly full: Bits
  /** The phrase has two words of the query. */
  readonly partial: Bits
}

/** Finds trigger phrases that occur in a query, contain it, or share two words with it. */
export class TriggerIndex {
  readonly #vocabulary: Vocabulary
  readonly #words: WordIndex
  /** The position of each text among the triggers of its ability. */
  readonly #positions = new IntList()
  readonly #phrases = new SubstringIndex()
  #longest = 0
  readonly #counter = new PairCounter()

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary
    this.#words = new WordIndex(vocabulary)
  }

  /** Returns a number for `remove`. */
  add(text: string, slot: number, position: number): number {
    const number = this.#words.add(text, slot)
    this.#positions.push(position)
    this.#phrases.add(text, number)
    this.#longest = Math.max(this.#longest, text.length)
    return number
  }

  remove(number: number): void {
    this.#phrases.remove(this.#words.text(number), number)
    this.#words.remove(number)
  }

  /** Slots are below `capacity`. */
  findMatches(query: Query, capacity: number): TriggerMatch {
    const match = { full: createBits(capacity), partial: createBits(capacity) }
    if (query.words.length === 1) {
      // One word cannot match partially. A phrase contains it if one of the words of the phrase does.
      addAll(match.full, this.#words.findSlots(query.text, capacity))
      for (const slot of this.#findFirsts(this.#phrases.findWithin(query.text)).keys()) {
        setBit(match.full, slot)
      }
      return match
    }
    const whole = [...this.#phrases.findWithin(query.text), ...this.#findContaining(query)]
    const firsts = this.#findFirsts(whole)
    for (const slot of firsts.keys()) setBit(match.full, slot)
    this.#addPartial(query, match, firsts)
    return match
  }

  /** For each slot that has one of these texts, the position of its first one. */
  #findFirsts(numbers: readonly number[]): Map<number, number> {
    const firsts = new Map<number, number>()
    for (const number of numbers) {
      const slot = this.#words.slots[number] ?? -1
      const position = this.#positions.values[number] ?? 0
      if (slot >= 0 && position < (firsts.get(slot) ?? Infinity)) firsts.set(slot, position)
    }
    return firsts
  }

  /** A word that occurs twice in the query counts twice. Very many texts may share two words. */
  #addPartial({ words }: Query, { full, partial }: TriggerMatch, firsts: Map<number, number>): void {
    this.#counter.reset(this.#words.size)
    for (const word of words) {
      const known = this.#vocabulary.getNumber(word)
      if (known !== undefined) this.#counter.add(this.#words.getTextSet(known))
    }
    const { slots } = this.#words
    forEachBit(this.#counter.twice, (number) => {
      const slot = slots[number] ?? -1
      if (slot < 0) return
      if (!hasBit(full, slot)) setBit(partial, slot)
      else if ((this.#positions.values[number] ?? 0) < (firsts.get(slot) ?? 0)) {
        clearBit(full, slot)
        setBit(partial, slot)
      }
    })
  }

  /** The texts that contain the whole query. */
  #findContaining({ text, words }: Query): number[] {
    const found: number[] = []
    if (text.length > this.#longest) return found
    const verify = (number: number) => {
      if (this.#words.text(number).includes(text)) found.push(number)
    }
    const [fewest, next] = this.#conditions(words)
    if (fewest === undefined || next === undefined || next.texts > fewest.texts * COMPARE_COST) {
      for (const word of fewest?.words ?? []) this.#words.listTexts(word).forEach(verify)
      return found
    }
    this.#counter.reset(this.#words.size)
    for (const word of [...fewest.words, ...next.words]) {
      this.#counter.add(this.#words.getTextSet(word))
    }
    forEachBit(this.#counter.twice, verify)
    return found
  }

  /**
   * A text that contains the query has all words of it: the middle ones as whole words, the first as the end of a word,
   * the last as the beginning of a word. Returns for each of these conditions the words that fulfil it, rarest first.
   */
  #conditions(words: readonly string[]): { words: readonly number[]; texts: number }[] {
    const last = words.length - 1
    return words
      .flatMap((word, at) => (word === '' ? [] : [this.#findFitting(word, at === 0, at === last)]))
      .map((fitting) => ({
        words: fitting,
        texts: fitting.reduce((sum, word) => sum + this.#words.listTexts(word).length, 0),
      }))
      .toSorted((a, b) => a.texts - b.texts)
  }

  #findFitting(word: string, ends: boolean, starts: boolean): readonly number[] {
    if (starts || ends) {
      return this.#vocabulary.findContaining(word).filter((number) => {
        const whole = this.#vocabulary.word(number)
        return starts ? whole.startsWith(word) : whole.endsWith(word)
      })
    }
    const exact = this.#vocabulary.getNumber(word)
    return exact === undefined ? [] : [exact]
  }
}
