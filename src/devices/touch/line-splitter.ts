/** Lines out of text that comes in pieces of any size. */
export class LineSplitter {
  #held = ''
  #skipping = false

  /** The lines completed by this piece, without their ends. */
  push(piece: string): string[] {
    const lines = (this.#held + piece).split('\n')
    this.#held = lines.pop() ?? ''
    if (lines.length > 0 && this.#skipping) {
      lines.shift()
      this.#skipping = false
    }
    if (this.#held.length > MAX_LINE) {
      this.#held = ''
      this.#skipping = true
    }
    return lines.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line))
  }
}

/** What never ends its line is not a line; the rest of it goes too. */
const MAX_LINE = 64 * 1024
