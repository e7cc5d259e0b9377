import { Buffer } from 'node:buffer'
import { once } from 'node:events'
import { crc32, createInflateRaw, inflateRawSync, type InflateRaw } from 'node:zlib'
import { type ZipEntry, isSuspicious } from './zip-directory.ts'
import { zipLimits, ZipProblem } from './zip-problem.ts'
import type { ZipSource } from './zip-source.ts'

const pieceBytes = 256 << 10
/** Up to here an entry is unpacked at once: setting up a stream would cost more than that. */
const atOnceBytes = 128 << 10

/** Unpacks entries of one archive, one after the other, and counts what really comes out of them. */
export class ZipUnpacker {
  readonly #source: ZipSource
  #total = 0

  constructor(source: ZipSource) {
    this.#source = source
  }

  /** How much was unpacked so far. */
  get total(): number {
    return this.#total
  }

  /** The pieces are good until the next is asked for. An entry that is not what it claims to be throws. */
  async *unpack(entry: ZipEntry): AsyncGenerator<Buffer> {
    let [size, sum] = [0, 0]
    for await (const piece of this.#pieces(entry)) {
      size += piece.length
      this.#count(entry, size, piece.length)
      sum = crc32(piece, sum)
      yield piece
    }
    if (size !== entry.size) throw new ZipProblem('ARCHIVE_SIZE_MISMATCH', entry.path)
    if (sum !== entry.crc32) throw new ZipProblem('ARCHIVE_UNREADABLE', entry.path)
  }

  #count({ path, size: told, compressed }: ZipEntry, size: number, more: number): void {
    this.#total += more
    if (size > told) throw new ZipProblem('ARCHIVE_SIZE_MISMATCH', path)
    if (size > zipLimits.entry_bytes) throw new ZipProblem('ARCHIVE_ENTRY_TOO_LARGE', path)
    if (isSuspicious(size, compressed)) throw new ZipProblem('ARCHIVE_RATIO_SUSPICIOUS', path)
    if (this.#total > zipLimits.total_bytes) throw new ZipProblem('ARCHIVE_UNCOMPRESSED_TOO_LARGE')
  }

  #pieces(entry: ZipEntry): AsyncIterable<Buffer> {
    if (entry.stored) return this.#packed(entry)
    const isSmall = entry.size <= atOnceBytes && entry.compressed <= atOnceBytes
    return isSmall ? this.#atOnce(entry) : this.#streamed(entry)
  }

  async *#packed({ data_at, compressed }: ZipEntry): AsyncGenerator<Buffer> {
    const end = data_at + compressed
    for (let at = data_at; at < end; at += pieceBytes) {
      yield await this.#source.read(at, Math.min(pieceBytes, end - at))
    }
  }

  async *#atOnce(entry: ZipEntry): AsyncGenerator<Buffer> {
    const packed = await this.#source.read(entry.data_at, entry.compressed)
    try {
      // One byte of room to tell too much from just enough.
      const options = { maxOutputLength: entry.size + 1, info: true }
      const { buffer, engine } = inflateRawSync(packed, options) as unknown as Unpacked
      assertAllTaken(entry, engine.bytesWritten)
      yield buffer
    } catch (error) {
      throw problemOf(error, entry)
    }
  }

  async *#streamed(entry: ZipEntry): AsyncGenerator<Buffer> {
    const inflate = createInflateRaw({ chunkSize: pieceBytes })
    const feeding = this.#feed(entry, inflate)
    try {
      for await (const piece of inflate as AsyncIterable<Buffer>) yield piece
      await feeding
      assertAllTaken(entry, inflate.bytesWritten)
    } catch (error) {
      throw problemOf(error, entry)
    } finally {
      inflate.destroy()
      await feeding
    }
  }

  /** Never rejects: what goes wrong is told by the stream it feeds. */
  async #feed(entry: ZipEntry, inflate: InflateRaw): Promise<void> {
    try {
      for await (const piece of this.#packed(entry)) {
        if (inflate.destroyed || inflate.readableEnded) return
        // The window of the source is read into again before the stream has taken this.
        if (inflate.write(Buffer.from(piece))) continue
        await Promise.race([once(inflate, 'drain'), once(inflate, 'close'), once(inflate, 'end')])
      }
      inflate.end()
    } catch (error) {
      inflate.destroy(error as Error)
    }
  }
}

interface Unpacked {
  readonly buffer: Buffer
  readonly engine: { readonly bytesWritten: number }
}

/** Bytes behind the end of the packed data are nobody's. */
function assertAllTaken({ path, compressed }: ZipEntry, taken: number): void {
  if (taken !== compressed) throw new ZipProblem('ARCHIVE_SIZE_MISMATCH', path)
}

function problemOf(error: unknown, { path }: ZipEntry): unknown {
  if (error instanceof ZipProblem) return error
  const { code } = error as NodeJS.ErrnoException
  if (code === 'ERR_BUFFER_TOO_LARGE') return new ZipProblem('ARCHIVE_SIZE_MISMATCH', path)
  return code?.startsWith('Z_') ? new ZipProblem('ARCHIVE_UNREADABLE', path) : error
}
