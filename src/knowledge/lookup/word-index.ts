import { type Bits, type Group, hasBit, isMany, makeBits, putBit } from './bits.ts'
import { Numbers } from './int-list.ts'
import { wordsOf } from './scorer.ts'
import type { WordBook } from './vocabulary.ts'

/** What is worked out is kept for this many words. */
const mostKept = 2048

/**
 * Texts by their words. A text has a number for each ability that uses it, counted from 0; once the ability no longer
 * does, the number stands for nobody.
 */
export class WordLists {
  readonly #book: WordBook
  readonly #texts: string[] = []
  readonly #slots = new Numbers()
  readonly #byWord: number[][] = []
  /** Both are forgotten when a text comes or goes. */
  readonly #groups = new Map<number, Group>()
  readonly #slotGroups = new Map<string, Group>()

  constructor(book: WordBook) {
    this.#book = book
  }

  add(text: string, slot: number): number {
    const number = this.#texts.push(text) - 1
    this.#slots.push(slot)
    for (const word of new Set(wordsOf(text))) {
      const known = this.#book.add(word)
      const among = this.#byWord[known]
      if (among === undefined) this.#byWord[known] = [number]
      else among.push(number)
    }
    this.#forgetGroups()
    return number
  }

  remove(number: number): void {
    this.#slots.put(number, -1)
    this.#forgetGroups()
  }

  get size(): number {
    return this.#texts.length
  }

  text(number: number): string {
    return this.#texts[number] ?? ''
  }

  /** Whose each text is; -1 for nobody's. */
  get slots(): Int32Array {
    return this.#slots.values
  }

  withWord(word: number): readonly number[] {
    return this.#byWord[word] ?? []
  }

  /** The texts that have a word, as one group. */
  groupWith(word: number): Group {
    return kept(this.#groups, word, () => {
      const list = this.withWord(word)
      if (!isMany(list.length, this.size)) return { list }
      const bits = makeBits(this.size)
      for (const number of list) putBit(bits, number)
      return { bits }
    })
  }

  /** The slots with a text that has a word that contains a piece; slots are below `room`. */
  slotsContaining(piece: string, room: number): Group {
    return kept(this.#slotGroups, piece, () => {
      const bits = makeBits(room)
      const list: number[] = []
      for (const word of this.#book.containing(piece)) {
        for (const number of this.withWord(word)) this.#putSlot(number, bits, list)
      }
      return isMany(list.length, room) ? { bits } : { list }
    })
  }

  #putSlot(number: number, bits: Bits, list: number[]): void {
    const slot = this.slots[number] ?? -1
    if (slot < 0 || hasBit(bits, slot)) return
    putBit(bits, slot)
    list.push(slot)
  }

  #forgetGroups(): void {
    if (this.#groups.size > 0) this.#groups.clear()
    if (this.#slotGroups.size > 0) this.#slotGroups.clear()
  }
}

function kept<K>(groups: Map<K, Group>, key: K, make: () => Group): Group {
  const known = groups.get(key)
  if (known !== undefined) return known
  if (groups.size >= mostKept) groups.clear()
  const made = make()
  groups.set(key, made)
  return made
}
