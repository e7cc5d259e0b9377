/** A set of small numbers, one bit each. */
export type Bits = Uint32Array

export const makeBits = (room: number): Bits => new Uint32Array(Math.ceil(room / 32))

export const hasBit = (bits: Bits, at: number): boolean =>
  (((bits[at >>> 5] ?? 0) >>> (at & 31)) & 1) === 1

export function putBit(bits: Bits, at: number): void {
  const word = at >>> 5
  bits[word] = (bits[word] ?? 0) | (1 << (at & 31))
}

export function dropBit(bits: Bits, at: number): void {
  const word = at >>> 5
  bits[word] = (bits[word] ?? 0) & ~(1 << (at & 31))
}

export function bitsOf(room: number, list: readonly number[]): Bits {
  const bits = makeBits(room)
  for (const at of list) putBit(bits, at)
  return bits
}

/** Numbers of which each is there once: as a list when they are few, as bits when they are many. */
export type Group =
  | { readonly list: readonly number[]; readonly bits?: undefined }
  | { readonly bits: Bits; readonly list?: undefined }

/** Reading a word of bits costs about as much as reading two numbers of a list. */
export const isMany = (count: number, room: number): boolean => count > room / 64

export function joinInto(bits: Bits, group: Group): void {
  const other = group.bits
  if (other === undefined) for (const at of group.list) putBit(bits, at)
  for (let word = 0; word < (other?.length ?? 0); word += 1) {
    bits[word] = (bits[word] ?? 0) | (other?.[word] ?? 0)
  }
}

/** What is in all of the first and in none of the second. */
export function sift([first, ...others]: readonly [Bits, ...Bits[]], not: readonly Bits[]): Bits {
  const left = first.slice()
  for (const other of others) {
    for (let word = 0; word < left.length; word += 1) {
      left[word] = (left[word] ?? 0) & (other[word] ?? 0)
    }
  }
  for (const other of not) {
    for (let word = 0; word < left.length; word += 1) {
      left[word] = (left[word] ?? 0) & ~(other[word] ?? 0)
    }
  }
  return left
}

export function eachBit(bits: Bits, tell: (at: number) => void): void {
  for (let word = 0; word < bits.length; word += 1) {
    for (let left = bits[word] ?? 0; left !== 0; left &= left - 1) {
      tell(word * 32 + 31 - Math.clz32(left & -left))
    }
  }
}

/** Counts up to two: which numbers were in one group, and which in two. */
export class Tally {
  once: Bits = makeBits(0)
  twice: Bits = makeBits(0)

  reset(room: number): void {
    const words = Math.ceil(room / 32)
    if (this.once.length === words) {
      this.once.fill(0)
      this.twice.fill(0)
    } else {
      this.once = makeBits(room)
      this.twice = makeBits(room)
    }
  }

  add(group: Group): void {
    if (group.bits === undefined) this.#addList(group.list)
    else this.#addBits(group.bits)
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
