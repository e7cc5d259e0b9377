const GRAM_LENGTH = 3

/** Numbers all words and finds those that contain a piece of text. Words are never removed. */
export class Vocabulary {
  readonly #numbers = new Map<string, number>()
  readonly #words: string[] = []
  /** Every piece of up to three characters with the words that contain it. */
  readonly #grams = new Map<string, number[]>()

  getNumber(getWord: string): number | undefined {
    return this.#numbers.get(getWord)
  }

  add(word: string): number {
    const known = this.#numbers.get(word)
    if (known !== undefined) return known
    const number = this.#words.push(word) - 1
    this.#numbers.set(word, number)
    for (const gram of splitGrams(word)) {
      const words = this.#grams.get(gram)
      if (words === undefined) this.#grams.set(gram, [number])
      else words.push(number)
    }
    return number
  }

  word(number: number): string {
    return this.#words[number] ?? ''
  }

  /** The words that contain a piece of text. The piece must not be empty. */
  findContaining(piece: string): readonly number[] {
    if (piece.length <= GRAM_LENGTH) return this.#grams.get(piece) ?? []
    return this.#findCandidates(piece).filter((number) => this.word(number).includes(piece))
  }

  #findCandidates(piece: string): readonly number[] {
    let fewest: readonly number[] | undefined
    for (let at = 0; at + GRAM_LENGTH <= piece.length; at += 1) {
      const words = this.#grams.get(piece.slice(at, at + GRAM_LENGTH))
      if (words === undefined) return []
      if (fewest === undefined || words.length < fewest.length) fewest = words
    }
    return fewest ?? []
  }
}

function splitGrams(word: string): Set<string> {
  const grams = new Set<string>()
  for (let length = 1; length <= GRAM_LENGTH; length += 1) {
    for (let at = 0; at + length <= word.length; at += 1) grams.add(word.slice(at, at + length))
  }
  return grams
}
