import { type Bits, type NumberSet, hasBit, isDense, createBits, setBit } from './bits.ts'
import { IntList } from './int-list.ts'
import { splitWords } from './scorer.ts'
import type { Vocabulary } from './vocabulary.ts'

/** How many computed sets are cached. */
const MAX_CACHED = 2048

/**
 * Texts by their words. Each added text has a number, counted from 0, and the slot of the ability it belongs to. The
 * number of a removed text is not reused; its slot is -1.
 */
export class WordIndex {
  readonly #vocabulary: Vocabulary
  readonly #texts: string[] = []
  readonly #slots = new IntList()
  readonly #byWord: number[][] = []
  /** Caches, cleared when a text is added or removed. */
  readonly #textSets = new Map<number, NumberSet>()
  readonly #slotSets = new Map<string, NumberSet>()

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary
  }

  add(getText: string, slot: number): number {
    const number = this.#texts.push(getText) - 1
    this.#slots.push(slot)
    for (const word of new Set(splitWords(getText))) {
      const known = this.#vocabulary.add(word)
      const among = this.#byWord[known]
      if (among === undefined) this.#byWord[known] = [number]
      else among.push(number)
    }
    this.#clearCaches()
    return number
  }

  remove(number: number): void {
    this.#slots.set(number, -1)
    this.#clearCaches()
  }

  get size(): number {
    return this.#texts.length
  }

  text(number: number): string {
    return this.#texts[number] ?? ''
  }

  /** The slot of each text; -1 for a removed text. */
  get slots(): Int32Array {
    return this.#slots.values
  }

  listTexts(word: number): readonly number[] {
    return this.#byWord[word] ?? []
  }

  /** The texts that contain a word. */
  getTextSet(word: number): NumberSet {
    return getCached(this.#textSets, word, () => {
      const list = this.listTexts(word)
      if (!isDense(list.length, this.size)) return { list }
      const bits = createBits(this.size)
      for (const number of list) setBit(bits, number)
      return { bits }
    })
  }

  /** The slots below `capacity` with a text that has a word containing the piece. */
  findSlots(piece: string, capacity: number): NumberSet {
    return getCached(this.#slotSets, piece, () => {
      const bits = createBits(capacity)
      const list: number[] = []
      for (const word of this.#vocabulary.findContaining(piece)) {
        for (const number of this.listTexts(word)) this.#addSlot(number, bits, list)
      }
      return isDense(list.length, capacity) ? { bits } : { list }
    })
  }

  #addSlot(number: number, bits: Bits, list: number[]): void {
    const slot = this.slots[number] ?? -1
    if (slot < 0 || hasBit(bits, slot)) return
    setBit(bits, slot)
    list.push(slot)
  }

  #clearCaches(): void {
    if (this.#textSets.size > 0) this.#textSets.clear()
    if (this.#slotSets.size > 0) this.#slotSets.clear()
  }
}

function getCached<K>(cache: Map<K, NumberSet>, key: K, compute: () => NumberSet): NumberSet {
  const cached = cache.get(key)
  if (cached !== undefined) return cached
  if (cache.size >= MAX_CACHED) cache.clear()
  const computed = compute()
  cache.set(key, computed)
  return computed
}
