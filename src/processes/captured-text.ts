export interface CapturedText {
  readonly text: string
  readonly bytes: number
  readonly dropped_bytes: number
}

/** Stores the start and the end of a text of any length. */
export class TextCapture {
  readonly #headLimit: number
  readonly #tailLimit: number
  #head = ''
  #tail = ''
  #bytes = 0
  #length = 0

  constructor(limits: { readonly head: number; readonly tail: number }) {
    this.#headLimit = limits.head
    this.#tailLimit = limits.tail
  }

  get bytes(): number {
    return this.#bytes
  }

  push(piece: string, bytes: number): void {
    this.#bytes += bytes
    this.#length += piece.length
    const room = this.#headLimit - this.#head.length
    this.#head += piece.slice(0, Math.max(0, room))
    this.#tail += piece.slice(Math.max(0, room))
    if (this.#tail.length > this.#tailLimit * 2) this.#tail = this.#tail.slice(-this.#tailLimit)
  }

  toText(): CapturedText {
    const tail = this.#tail.slice(-this.#tailLimit)
    const text = this.#head + tail
    if (text.length === this.#length) return { text, bytes: this.#bytes, dropped_bytes: 0 }
    const dropped_bytes = Math.max(1, this.#bytes - Buffer.byteLength(text))
    const note = `\n… ${dropped_bytes} bytes left out …\n`
    return { text: this.#head + note + tail, bytes: this.#bytes, dropped_bytes }
  }
}
