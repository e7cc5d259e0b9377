/** A set of small numbers with one bit per number. */
export type Bits = Uint32Array

export const createBits = (capacity: number): Bits => new Uint32Array(Math.ceil(capacity / 32))

export const hasBit = (bits: Bits, at: number): boolean => (((bits[at >>> 5] ?? 0) >>> (at & 31)) & 1) === 1

export function setBit(bits: Bits, at: number): void {
  const word = at >>> 5
  bits[word] = (bits[word] ?? 0) | (1 << (at & 31))
}

export function clearBit(bits: Bits, at: number): void {
  const word = at >>> 5
  bits[word] = (bits[word] ?? 0) & ~(1 << (at & 31))
}

export function toBits(capacity: number, list: readonly number[]): Bits {
  const bits = createBits(capacity)
  for (const at of list) setBit(bits, at)
  return bits
}

/** A set of numbers: a list when it is sparse, bits when it is dense. */
export type NumberSet =
  | { readonly list: readonly number[]; readonly bits?: undefined }
  | { readonly bits: Bits; readonly list?: undefined }

/** Whether bits are faster to read than a list: one 32-bit word costs about as much as two list items. */
export const isDense = (count: number, capacity: number): boolean => count > capacity / 64

export function addAll(bits: Bits, numbers: NumberSet): void {
  const other = numbers.bits
  if (other === undefined) for (const at of numbers.list) setBit(bits, at)
  for (let word = 0; word < (other?.length ?? 0); word += 1) {
    bits[word] = (bits[word] ?? 0) | (other?.[word] ?? 0)
  }
}

/** The numbers that are in all sets of the first list and in no set of the second. */
export function combine([first, ...others]: readonly [Bits, ...Bits[]], not: readonly Bits[]): Bits {
  const result = first.slice()
  for (const other of others) {
    for (let word = 0; word < result.length; word += 1) {
      result[word] = (result[word] ?? 0) & (other[word] ?? 0)
    }
  }
  for (const other of not) {
    for (let word = 0; word < result.length; word += 1) {
      result[word] = (result[word] ?? 0) & ~(other[word] ?? 0)
    }
  }
  return result
}

export function forEachBit(bits: Bits, visit: (at: number) => void): void {
  for (let word = 0; word < bits.length; word += 1) {
    for (let rest = bits[word] ?? 0; rest !== 0; rest &= rest - 1) {
      visit(word * 32 + 31 - Math.clz32(rest & -rest))
    }
  }
}

/** Collects which numbers were in at least one of the added sets, and which in at least two. */
export class PairCounter {
  once: Bits = createBits(0)
  twice: Bits = createBits(0)

  reset(capacity: number): void {
    const words = Math.ceil(capacity / 32)
    if (this.once.length === words) {
      this.once.fill(0)
      this.twice.fill(0)
    } else {
      this.once = createBits(capacity)
      this.twice = createBits(capacity)
    }
  }

  add(numbers: NumberSet): void {
    if (numbers.bits === undefined) this.#addList(numbers.list)
    else this.#addBits(numbers.bits)
  }

  #addList(list: readonly number[]): void {
    const { once, twice } = this
    for (const at of list) {
      const word = at >>> 5
      const bit = 1 << (at & 31)
      const before = once[word] ?? 0
      if ((before & bit) === 0) once[word] = before | bit
      else twice[word] = (twice[word] ?? 0) | bit
    }
  }

  #addBits(bits: Bits): void {
    const { once, twice } = this
    for (let word = 0; word < bits.length; word += 1) {
      const more = bits[word] ?? 0
      const before = once[word] ?? 0
      twice[word] = (twice[word] ?? 0) | (before & more)
      once[word] = before | more
    }
  }
}
