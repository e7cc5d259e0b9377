import { concatChunks } from './shell-v2.ts'

/**
 * Collects the output of one command up to its end marker, `<nonce>:<exit code>` and a newline. The
 * nonce is random and not known to the command, so the command cannot print it.
 */
export class MarkedOutput {
  readonly #marker: Buffer
  readonly #chunks: Buffer[] = []
  #bytes = 0
  #tail: Buffer = Buffer.alloc(0)
  #found: { readonly length: number; readonly code: number } | undefined

  constructor(nonce: string) {
    this.#marker = Buffer.from(`${nonce}:`, 'latin1')
  }

  push(chunk: Buffer): void {
    if (this.#found) return
    const window = this.#tail.length === 0 ? chunk : Buffer.concat([this.#tail, chunk])
    this.#find(window, this.#bytes - this.#tail.length)
    this.#chunks.push(chunk)
    this.#bytes += chunk.length
    this.#tail = window.subarray(Math.max(0, window.length - this.#marker.length - CODE_BYTES))
  }

  get ended(): boolean {
    return this.#found !== undefined
  }

  get code(): number {
    return this.#found?.code ?? -1
  }

  get bytes(): number {
    return this.#bytes
  }

  output(): Buffer {
    return concatChunks(this.#chunks).subarray(0, this.#found?.length ?? this.#bytes)
  }

  #find(window: Buffer, offset: number): void {
    const at = window.indexOf(this.#marker)
    if (at < 0) return
    const after = window.subarray(at + this.#marker.length, at + this.#marker.length + CODE_BYTES)
    const code = /^(\d{1,3})\r?\n/.exec(after.toString('latin1'))?.[1]
    if (code !== undefined) this.#found = { length: offset + at, code: Number(code) }
  }
}

/** Three digits, a carriage return a terminal may add, and the newline. */
const CODE_BYTES = 5
