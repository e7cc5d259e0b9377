/** Splits text that arrives in pieces of any size into lines. */
export class LineSplitter {
  #held = ''
  #skipping = false

  /** Returns the lines that this piece completes, without line ends. */
  push(piece: string): string[] {
    const lines = (this.#held + piece).split('\n')
    this.#held = lines.pop() ?? ''
    if (lines.length > 0 && this.#skipping) {
      lines.shift()
      this.#skipping = false
    }
    if (this.#held.length > MAX_LINE_LENGTH) {
      this.#held = ''
      this.#skipping = true
    }
    return lines.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line))
  }
}

/** A longer line is dropped, including its rest. */
const MAX_LINE_LENGTH = 64 * 1024
