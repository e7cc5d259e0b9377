export const RESULT_MARKER = '[Clawperator-Skill-Result]'

/** A longer result is rejected, because it cannot be stored. */
export const MAX_LINE_LENGTH = 1_048_576

/** The result lines found in an output. */
export interface FrameLines {
  readonly markers: number
  /** The number of non-blank lines after the last marker. */
  readonly after: number
  /** The first of them. */
  readonly json?: string | undefined
  readonly tooLong: boolean
}

/** Finds the result in an output that arrives in chunks. It stores one line and a few counts, so memory is bounded. */
export class FrameReader {
  #rest = ''
  #overlong = false
  #markers = 0
  #after = 0
  #json: string | undefined
  #tooLong = false

  push(chunk: string): void {
    let from = 0
    for (;;) {
      const end = chunk.indexOf('\n', from)
      if (end === -1) break
      this.#add(chunk.slice(from, end))
      this.#endLine(this.#rest.endsWith('\r') ? this.#rest.slice(0, -1) : this.#rest)
      from = end + 1
    }
    this.#add(chunk.slice(from))
  }

  end(): FrameLines {
    if (this.#rest !== '' || this.#overlong) this.#endLine(this.#rest)
    return {
      markers: this.#markers,
      after: this.#after,
      json: this.#json,
      tooLong: this.#tooLong,
    }
  }

  #add(text: string): void {
    if (this.#overlong) return
    this.#rest += text
    if (this.#rest.length <= MAX_LINE_LENGTH) return
    this.#overlong = true
    this.#rest = ''
  }

  #endLine(line: string): void {
    const overlong = this.#overlong
    this.#rest = ''
    this.#overlong = false
    if (!overlong && line.trim() === '') return
    if (line === RESULT_MARKER) this.#mark()
    else if (this.#markers > 0) this.#follow(line, overlong)
  }

  #mark(): void {
    this.#markers += 1
    this.#after = 0
    this.#json = undefined
    this.#tooLong = false
  }

  #follow(line: string, overlong: boolean): void {
    this.#after += 1
    if (this.#after > 1) return
    this.#json = line
    this.#tooLong = overlong
  }
}
