/** Looks for words in a text that comes in pieces, without keeping it. */
export class WordWatch {
  readonly #wanted: string | undefined
  #end = ''
  #found = false

  constructor(wanted: string | undefined) {
    this.#wanted = wanted
  }

  push(piece: string): void {
    if (this.#wanted === undefined || this.#found) return
    const text = this.#end + piece
    this.#found = text.includes(this.#wanted)
    this.#end = this.#wanted.length > 1 ? text.slice(-(this.#wanted.length - 1)) : ''
  }

  /** Undefined when nothing was looked for. */
  get found(): boolean | undefined {
    return this.#wanted === undefined ? undefined : this.#found
  }
}
