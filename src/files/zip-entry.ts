import type { Buffer } from 'node:buffer'
import { pipeline } from 'node:stream'
import { promisify } from 'node:util'
import { crc32, createInflateRaw, inflateRaw, inflateRawSync } from 'node:zlib'
import { type ZipEntry, isSuspicious } from './zip-directory.ts'
import { zipLimits, ZipProblem } from './zip-problem.ts'
import type { ZipSource } from './zip-source.ts'

const pieceBytes = 256 << 10
/** Up to here an entry is unpacked at once: setting up a stream would cost more than that. */
const atOnceBytes = 64 << 10
/** Up to here it is unpacked in one piece of work beside the daemon's own; larger ones come in pieces. */
const wholeBytes = 4 << 20
const inflateBeside = promisify(inflateRaw)

const largest = ({ size, compressed }: ZipEntry): number => Math.max(size, compressed)

/** Unpacks entries of one archive, one after the other, and counts what really comes out of them. */
export class ZipUnpacker {
  readonly #source: ZipSource
  readonly #entries: readonly ZipEntry[]
  #ahead: { readonly entry: ZipEntry; readonly work: Promise<Buffer> } | undefined
  #total = 0

  constructor(source: ZipSource, entries: readonly ZipEntry[]) {
    this.#source = source
    this.#entries = entries
  }

  /** An entry that is not what it claims to be throws. */
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
    return largest(entry) <= wholeBytes ? this.#whole(entry) : this.#streamed(entry)
  }

  async *#packed({ data_at, compressed }: ZipEntry): AsyncGenerator<Buffer> {
    const end = data_at + compressed
    for (let at = data_at; at < end; at += pieceBytes) {
      yield await this.#source.read(at, Math.min(pieceBytes, end - at))
    }
  }

  async *#whole(entry: ZipEntry): AsyncGenerator<Buffer> {
    const ahead = this.#ahead?.entry === entry ? this.#ahead.work : undefined
    const buffer = await (ahead ?? this.#inflate(entry))
    this.#lookAhead(entry)
    yield buffer
  }

  /** Has the next entry unpacked beside the daemon's own work while somebody looks at this one. */
  #lookAhead(entry: ZipEntry): void {
    const next = this.#entries[this.#entries.indexOf(entry) + 1]
    this.#ahead = undefined
    if (next === undefined || next.stored) return
    if (largest(next) <= atOnceBytes || largest(next) > wholeBytes) return
    const work = this.#inflate(next)
    // Whoever asks for it hears of it; when nobody does, it does not matter.
    work.catch(() => undefined)
    this.#ahead = { entry: next, work }
  }

  async #inflate(entry: ZipEntry): Promise<Buffer> {
    const packed = await this.#source.read(entry.data_at, entry.compressed)
    // One byte of room to tell too much from just enough.
    const maxOutputLength = entry.size + 1
    const options = { maxOutputLength, chunkSize: Math.max(64, maxOutputLength), info: true }
    const isSmall = largest(entry) <= atOnceBytes
    try {
      const work = isSmall ? inflateRawSync(packed, options) : await inflateBeside(packed, options)
      const { buffer, engine } = work as unknown as Unpacked
      assertAllTaken(entry, engine.bytesWritten)
      return buffer
    } catch (error) {
      throw problemOf(error, entry)
    }
  }

  async *#streamed(entry: ZipEntry): AsyncGenerator<Buffer> {
    const inflate = createInflateRaw({ chunkSize: pieceBytes })
    // What goes wrong in the source is told by the end of the pipe.
    const source = pipeline(this.#packed(entry), inflate, () => undefined)
    try {
      for await (const piece of source as AsyncIterable<Buffer>) yield piece
      assertAllTaken(entry, inflate.bytesWritten)
    } catch (error) {
      throw problemOf(error, entry)
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
