export const resultMarker = '[Clawperator-Skill-Result]'

/** A result longer than this is none: it could not be kept. */
export const longestLine = 1_048_576

/** What the lines of an output say of a result at their end. */
export interface FrameLines {
  readonly markers: number
  /** Lines with something in them after the last marker. */
  readonly after: number
  /** The first of them. */
  readonly json?: string | undefined
  readonly tooLong: boolean
}

/**
 * Watches an output line by line, however it is cut into pieces. It keeps one line and a few counts, so an output
 * without end costs nothing.
 */
export class FrameReader {
  #rest = ''
  #overlong = false
  #markers = 0
  #after = 0
  #json: string | undefined
  #tooLong = false

  push(piece: string): void {
    let from = 0
    for (;;) {
      const end = piece.indexOf('\n', from)
      if (end === -1) break
      this.#add(piece.slice(from, end))
      this.#endLine(this.#rest.endsWith('\r') ? this.#rest.slice(0, -1) : this.#rest)
      from = end + 1
    }
    this.#add(piece.slice(from))
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
    if (this.#rest.length <= longestLine) return
    this.#overlong = true
    this.#rest = ''
  }

  #endLine(line: string): void {
    const overlong = this.#overlong
    this.#rest = ''
    this.#overlong = false
    if (!overlong && line.trim() === '') return
    if (line === resultMarker) this.#mark()
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
