const longestPiece = 8
/** So few texts under one piece are as good as none. */
const fewEnough = 8

interface Inner {
  readonly text: string
  readonly numbers: number[]
}

/**
 * Texts to be found inside longer ones. Each is kept under a piece of it, the whole if it is short, that few others
 * are kept under; a longer text is compared only with those that have such a piece in common with it.
 */
export class InnerTexts {
  readonly #known = new Map<string, Inner>()
  /** By length of the piece, then by its hash. */
  readonly #byPiece = new Map<number, Map<number, Inner[]>>()

  /** The number is what is told when the text is found. */
  add(text: string, number: number): void {
    const known = this.#known.get(text)
    if (known === undefined) {
      const inner = { text, numbers: [number] }
      this.#known.set(text, inner)
      if (text !== '') this.#leastUsed(text).push(inner)
    } else known.numbers.push(number)
  }

  remove(text: string, number: number): void {
    const numbers = this.#known.get(text)?.numbers ?? []
    const at = numbers.indexOf(number)
    if (at >= 0) numbers.splice(at, 1)
  }

  /** The numbers of all texts found in `outer`; one may come more than once. */
  within(outer: string): number[] {
    // An empty text is in every other.
    const found = [...(this.#known.get('')?.numbers ?? [])]
    for (const [length, texts] of this.#byPiece) {
      eachPiece(outer, length, (hash) => {
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

  /** The texts that are kept under the same piece as this one is to be. */
  #leastUsed(text: string): Inner[] {
    const length = Math.min(text.length, longestPiece)
    let texts = this.#byPiece.get(length)
    if (texts === undefined) this.#byPiece.set(length, (texts = new Map()))
    let least: { hash: number; among: Inner[] | undefined } | undefined
    eachPiece(text, length, (hash) => {
      const among = texts.get(hash)
      const count = among?.length ?? 0
      if (least === undefined || count < (least.among?.length ?? 0)) least = { hash, among }
      return count >= fewEnough
    })
    if (least === undefined) throw new Error('A text has at least one piece.')
    if (least.among === undefined) texts.set(least.hash, (least.among = []))
    return least.among
  }
}

const base = 31

/** Tells the hash of each piece of a length, from the first to the last, until `tell` has enough. */
function eachPiece(text: string, length: number, tell: (hash: number) => boolean): void {
  let power = 1
  for (let n = 1; n < length; n += 1) power = Math.imul(power, base)
  let hash = 0
  for (let at = 0; at < text.length; at += 1) {
    if (at >= length) hash = (hash - Math.imul(text.charCodeAt(at - length), power)) | 0
    hash = (Math.imul(hash, base) + text.charCodeAt(at)) | 0
    if (at >= length - 1 && !tell(hash)) return
  }
}
