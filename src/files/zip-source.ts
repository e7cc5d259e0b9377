import { Buffer } from 'node:buffer'
import { type FileHandle, open } from 'node:fs/promises'
import { callbackify } from 'node:util'
import { RandomAccessReader } from 'yauzl'

const windowBytes = 1 << 20

/** Reads a file at any place; what lies close together is read from the disk once. */
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

  /** Fewer bytes only where the file ends. What was read stays as it is, whatever is read beside or after it. */
  async read(at: number, length: number): Promise<Buffer> {
    const end = Math.min(this.size, at + length)
    if (at >= end) return Buffer.alloc(0)
    if (at >= this.#windowAt && end <= this.#windowAt + this.#window.length) {
      return this.#window.subarray(at - this.#windowAt, end - this.#windowAt)
    }
    const bytes = await this.#load(at, Math.max(windowBytes, end - at))
    this.#window = bytes
    this.#windowAt = at
    return bytes.subarray(0, end - at)
  }

  async #load(at: number, length: number): Promise<Buffer> {
    const wanted = Buffer.allocUnsafe(Math.min(length, this.size - at))
    let filled = 0
    while (filled < wanted.length) {
      const left = wanted.length - filled
      const { bytesRead } = await this.#handle.read(wanted, filled, left, at + filled)
      if (bytesRead === 0) break
      filled += bytesRead
    }
    return wanted.subarray(0, filled)
  }
}

/** The same for yauzl, which brings the room for what it reads. */
export class ZipReader extends RandomAccessReader {
  readonly #fill: (room: Buffer, at: Place, done: (error: Error | null) => void) => void

  constructor(source: ZipSource) {
    super()
    this.#fill = callbackify(async (room: Buffer, { at, length, offset }: Place) =>
      (await source.read(at, length)).copy(room, offset),
    )
  }

  override read(...[room, offset, length, at, done]: Parameters<RandomAccessReader['read']>): void {
    this.#fill(room, { at, length, offset }, done)
  }
}

interface Place {
  readonly at: number
  readonly length: number
  /** In the room. */
  readonly offset: number
}
