import type { Buffer } from 'node:buffer'
import { pipeline } from 'node:stream'
import { promisify } from 'node:util'
import { crc32, createInflateRaw, inflateRaw, inflateRawSync } from 'node:zlib'
import { type ZipEntry, isRatioSuspicious } from './zip-directory.ts'
import { ZIP_LIMITS, ZipProblem } from './zip-problem.ts'
import type { ZipSource } from './zip-source.ts'

const PIECE_BYTES = 256 << 10
/** Smaller entries are unpacked synchronously, which is cheaper than a task of the thread pool. */
const MAX_SYNC_BYTES = 64 << 10
/** Smaller entries are unpacked as a whole in the thread pool, larger ones in pieces. */
const MAX_WHOLE_BYTES = 4 << 20
const inflateInPool = promisify(inflateRaw)

const readLargestSize = ({ size, compressed }: ZipEntry): number => Math.max(size, compressed)

/** Unpacks the entries of one archive in order and checks their real sizes. */
export class ZipUnpacker {
  readonly #source: ZipSource
  readonly #entries: readonly ZipEntry[]
  #prefetched: { readonly entry: ZipEntry; readonly work: Promise<Buffer> } | undefined
  #total = 0

  constructor(source: ZipSource, entries: readonly ZipEntry[]) {
    this.#source = source
    this.#entries = entries
  }

  /** Throws if size or checksum differ from the directory. */
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

  #count({ path, size: declared, compressed }: ZipEntry, size: number, more: number): void {
    this.#total += more
    if (size > declared) throw new ZipProblem('ARCHIVE_SIZE_MISMATCH', path)
    if (size > ZIP_LIMITS.entry_bytes) throw new ZipProblem('ARCHIVE_ENTRY_TOO_LARGE', path)
    if (isRatioSuspicious(size, compressed)) throw new ZipProblem('ARCHIVE_RATIO_SUSPICIOUS', path)
    if (this.#total > ZIP_LIMITS.total_bytes) throw new ZipProblem('ARCHIVE_UNCOMPRESSED_TOO_LARGE')
  }

  #pieces(entry: ZipEntry): AsyncIterable<Buffer> {
    if (entry.stored) return this.#packed(entry)
    return readLargestSize(entry) <= MAX_WHOLE_BYTES ? this.#whole(entry) : this.#streamed(entry)
  }

  async *#packed({ data_at, compressed }: ZipEntry): AsyncGenerator<Buffer> {
    const end = data_at + compressed
    for (let at = data_at; at < end; at += PIECE_BYTES) {
      yield await this.#source.read(at, Math.min(PIECE_BYTES, end - at))
    }
  }

  async *#whole(entry: ZipEntry): AsyncGenerator<Buffer> {
    const prefetched = this.#prefetched?.entry === entry ? this.#prefetched.work : undefined
    const buffer = await (prefetched ?? this.#inflate(entry))
    this.#prefetch(entry)
    yield buffer
  }

  /** Starts to unpack the next entry in the thread pool while the caller processes this one. */
  #prefetch(entry: ZipEntry): void {
    const next = this.#entries[this.#entries.indexOf(entry) + 1]
    this.#prefetched = undefined
    if (next === undefined || next.stored) return
    if (readLargestSize(next) <= MAX_SYNC_BYTES || readLargestSize(next) > MAX_WHOLE_BYTES) return
    const work = this.#inflate(next)
    // The error is thrown when the entry is requested. Until then it must not be an unhandled rejection.
    work.catch(() => undefined)
    this.#prefetched = { entry: next, work }
  }

  async #inflate(entry: ZipEntry): Promise<Buffer> {
    const packed = await this.#source.read(entry.data_at, entry.compressed)
    // One extra byte shows whether the entry is larger than declared.
    const maxOutputLength = entry.size + 1
    const options = { maxOutputLength, chunkSize: Math.max(64, maxOutputLength), info: true }
    const isSmall = readLargestSize(entry) <= MAX_SYNC_BYTES
    try {
      const work = isSmall ? inflateRawSync(packed, options) : await inflateInPool(packed, options)
      const { buffer, engine } = work as unknown as Unpacked
      assertAllRead(entry, engine.bytesWritten)
      return buffer
    } catch (error) {
      throw toZipProblem(error, entry)
    }
  }

  async *#streamed(entry: ZipEntry): AsyncGenerator<Buffer> {
    const inflate = createInflateRaw({ chunkSize: PIECE_BYTES })
    // Errors of the source are thrown at the end of the pipeline.
    const source = pipeline(this.#packed(entry), inflate, () => undefined)
    try {
      for await (const piece of source as AsyncIterable<Buffer>) yield piece
      assertAllRead(entry, inflate.bytesWritten)
    } catch (error) {
      throw toZipProblem(error, entry)
    }
  }
}

interface Unpacked {
  readonly buffer: Buffer
  readonly engine: { readonly bytesWritten: number }
}

/** Refuses bytes after the end of the compressed data. */
function assertAllRead({ path, compressed }: ZipEntry, bytesRead: number): void {
  if (bytesRead !== compressed) throw new ZipProblem('ARCHIVE_SIZE_MISMATCH', path)
}

function toZipProblem(error: unknown, { path }: ZipEntry): unknown {
  if (error instanceof ZipProblem) return error
  const { code } = error as NodeJS.ErrnoException
  if (code === 'ERR_BUFFER_TOO_LARGE') return new ZipProblem('ARCHIVE_SIZE_MISMATCH', path)
  return code?.startsWith('Z_') ? new ZipProblem('ARCHIVE_UNREADABLE', path) : error
}
