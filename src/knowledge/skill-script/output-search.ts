/** Searches a text that arrives in chunks, without storing it. */
export class OutputSearch {
  readonly #text: string | undefined
  #end = ''
  #found = false

  constructor(text: string | undefined) {
    this.#text = text
  }

  push(chunk: string): void {
    if (this.#text === undefined || this.#found) return
    const recent = this.#end + chunk
    this.#found = recent.includes(this.#text)
    this.#end = this.#text.length > 1 ? recent.slice(-(this.#text.length - 1)) : ''
  }

  /** Undefined when there is no text to search for. */
  get found(): boolean | undefined {
    return this.#text === undefined ? undefined : this.#found
  }
}
