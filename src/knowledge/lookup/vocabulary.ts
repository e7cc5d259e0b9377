const gramLength = 3

/** All words in use, each with a number, and which of them contain a piece of text. Words stay once they are in. */
export class WordBook {
  readonly #numbers = new Map<string, number>()
  readonly #words: string[] = []
  /** Every piece of up to three characters, with the words it is in. */
  readonly #grams = new Map<string, number[]>()

  numberOf(word: string): number | undefined {
    return this.#numbers.get(word)
  }

  add(word: string): number {
    const known = this.#numbers.get(word)
    if (known !== undefined) return known
    const number = this.#words.push(word) - 1
    this.#numbers.set(word, number)
    for (const gram of gramsOf(word)) {
      const among = this.#grams.get(gram)
      if (among === undefined) this.#grams.set(gram, [number])
      else among.push(number)
    }
    return number
  }

  word(number: number): string {
    return this.#words[number] ?? ''
  }

  /** The words that contain a piece of text, which must not be empty. */
  containing(piece: string): readonly number[] {
    if (piece.length <= gramLength) return this.#grams.get(piece) ?? []
    return this.#fewest(piece).filter((number) => this.word(number).includes(piece))
  }

  #fewest(piece: string): readonly number[] {
    let fewest: readonly number[] | undefined
    for (let at = 0; at + gramLength <= piece.length; at += 1) {
      const among = this.#grams.get(piece.slice(at, at + gramLength))
      if (among === undefined) return []
      if (fewest === undefined || among.length < fewest.length) fewest = among
    }
    return fewest ?? []
  }
}

function gramsOf(word: string): Set<string> {
  const grams = new Set<string>()
  for (let length = 1; length <= gramLength; length += 1) {
    for (let at = 0; at + length <= word.length; at += 1) grams.add(word.slice(at, at + length))
  }
  return grams
}
