import { Buffer } from 'node:buffer'
import { type FileHandle, open } from 'node:fs/promises'
import { callbackify } from 'node:util'
import { RandomAccessReader } from 'yauzl'

const WINDOW_BYTES = 1 << 20

/** Reads a file at any offset. Ranges that are close together are read from the disk once. */
export class ZipSource {
  readonly size: number
  readonly #handle: FileHandle
  #window: Buffer = Buffer.alloc(0)
  #windowAt = 0

  private constructor(handle: FileHandle, size: number) {
    this.#handle = handle
    this.size = size
  }

  static async open(path: string): Promise<ZipSource> {
    const handle = await open(path, 'r')
    try {
      return new ZipSource(handle, (await handle.stat()).size)
    } catch (error) {
      await handle.close()
      throw error
    }
  }

  close(): Promise<void> {
    return this.#handle.close()
  }

  /** Returns fewer bytes only at the end of the file. Later reads do not change the returned buffer. */
  async read(at: number, length: number): Promise<Buffer> {
    const end = Math.min(this.size, at + length)
    if (at >= end) return Buffer.alloc(0)
    if (at >= this.#windowAt && end <= this.#windowAt + this.#window.length) {
      return this.#window.subarray(at - this.#windowAt, end - this.#windowAt)
    }
    const bytes = await this.#load(at, Math.max(WINDOW_BYTES, end - at))
    this.#window = bytes
    this.#windowAt = at
    return bytes.subarray(0, end - at)
  }

  async #load(at: number, length: number): Promise<Buffer> {
    const bytes = Buffer.allocUnsafe(Math.min(length, this.size - at))
    let filled = 0
    while (filled < bytes.length) {
      const remaining = bytes.length - filled
      const { bytesRead } = await this.#handle.read(bytes, filled, remaining, at + filled)
      if (bytesRead === 0) break
      filled += bytesRead
    }
    return bytes.subarray(0, filled)
  }
}

/** Adapts a source to yauzl, which passes the buffer to read into. */
export class ZipReader extends RandomAccessReader {
  readonly #fill: (buffer: Buffer, at: ReadRequest, done: (error: Error | null) => void) => void

  constructor(source: ZipSource) {
    super()
    this.#fill = callbackify(async (buffer: Buffer, { at, length, offset }: ReadRequest) =>
      (await source.read(at, length)).copy(buffer, offset),
    )
  }

  override read(...[buffer, offset, length, at, done]: Parameters<RandomAccessReader['read']>): void {
    this.#fill(buffer, { at, length, offset }, done)
  }
}

interface ReadRequest {
  readonly at: number
  readonly length: number
  /** In the target buffer. */
  readonly offset: number
}
