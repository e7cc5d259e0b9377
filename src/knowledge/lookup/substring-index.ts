const MAX_PIECE_LENGTH = 8
/** The search for a rare piece stops at one that fewer texts than this are stored under. */
const MAX_SHARED = 8

interface StoredText {
  readonly text: string
  readonly numbers: number[]
}

/**
 * Finds which stored texts occur in a longer text. Each text is stored under a piece of it (the whole text if it is
 * short) that few other texts are stored under. A longer text is compared only with texts stored under one of its pieces.
 */
export class SubstringIndex {
  readonly #known = new Map<string, StoredText>()
  /** By length of the piece, then by its hash. */
  readonly #byPiece = new Map<number, Map<number, StoredText[]>>()

  /** Adds a text; `findWithin` returns its number. */
  add(text: string, number: number): void {
    const known = this.#known.get(text)
    if (known === undefined) {
      const inner = { text, numbers: [number] }
      this.#known.set(text, inner)
      if (text !== '') this.#findLeastUsedList(text).push(inner)
    } else known.numbers.push(number)
  }

  remove(text: string, number: number): void {
    const numbers = this.#known.get(text)?.numbers ?? []
    const at = numbers.indexOf(number)
    if (at >= 0) numbers.splice(at, 1)
  }

  /** The numbers of all texts that occur in `outer`, possibly with repetitions. */
  findWithin(outer: string): number[] {
    // An empty text occurs in every text.
    const found = [...(this.#known.get('')?.numbers ?? [])]
    for (const [length, texts] of this.#byPiece) {
      forEachPiece(outer, length, (hash) => {
        const among = texts.get(hash)
        if (among === undefined) return true
        for (const { text, numbers } of among) {
          if (outer.includes(text)) for (const number of numbers) found.push(number)
        }
        return true
      })
    }
    return found
  }

  /** The list of the least used piece of a text. */
  #findLeastUsedList(text: string): StoredText[] {
    const length = Math.min(text.length, MAX_PIECE_LENGTH)
    let texts = this.#byPiece.get(length)
    if (texts === undefined) this.#byPiece.set(length, (texts = new Map()))
    let least: { hash: number; among: StoredText[] | undefined } | undefined
    forEachPiece(text, length, (hash) => {
      const among = texts.get(hash)
      const count = among?.length ?? 0
      if (least === undefined || count < (least.among?.length ?? 0)) least = { hash, among }
      return count >= MAX_SHARED
    })
    if (least === undefined) throw new Error('Only a non-empty text has pieces.')
    if (least.among === undefined) texts.set(least.hash, (least.among = []))
    return least.among
  }
}

const HASH_BASE = 31

/** Calls `visit` with the rolling hash of each piece of a length until it returns false. */
function forEachPiece(text: string, length: number, visit: (hash: number) => boolean): void {
  let power = 1
  for (let n = 1; n < length; n += 1) power = Math.imul(power, HASH_BASE)
  let hash = 0
  for (let at = 0; at < text.length; at += 1) {
    if (at >= length) hash = (hash - Math.imul(text.charCodeAt(at - length), power)) | 0
    hash = (Math.imul(hash, HASH_BASE) + text.charCodeAt(at)) | 0
    if (at >= length - 1 && !visit(hash)) return
  }
}
