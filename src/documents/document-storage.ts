import type { DocumentMedia } from '@apprentice/contracts/documents/fields.ts'
import { type ContentFiles, openDocumentFiles } from '../files/content-files.ts'
import { HEAD_BYTES, sniffMediaType } from '../knowledge/documents/media-type.ts'

export interface ReceivedDocument {
  readonly content_hash_sha256: string
  readonly byte_size: number
  readonly media_type: DocumentMedia
}

/** An upload that is not stored. */
export class UploadRefused extends Error {
  readonly reason: 'too_large' | 'unknown_type'

  constructor(reason: UploadRefused['reason']) {
    super('The upload is refused.')
    this.reason = reason
  }
}

/** A file that was stored within this time may not have its row yet. */
const SETTLED_MS = 3_600_000

/** Stores the contents of documents. A content that several documents share is stored once. */
export class DocumentStorage {
  readonly #files: ContentFiles
  #uploads = 0
  readonly #unwanted = new Set<string>()

  constructor(home: string) {
    this.#files = openDocumentFiles(home)
  }

  /** Stores an upload and records it. Until that is done no content is removed. */
  async receive<T>(
    bytes: AsyncIterable<Buffer>,
    maxBytes: number,
    record: (received: ReceivedDocument) => Promise<T>,
  ): Promise<T> {
    this.#uploads += 1
    try {
      const inspected = new InspectedBytes(bytes, maxBytes)
      const { sha256, bytes: byte_size } = await this.#files.writePieces(inspected.read())
      return await record({ content_hash_sha256: sha256, byte_size, media_type: inspected.media_type })
    } finally {
      this.#uploads -= 1
    }
  }

  write(pieces: Iterable<string>): Promise<{ readonly sha256: string; readonly bytes: number }> {
    return this.#files.writePieces(encode(pieces))
  }

  locate(sha256: string): string {
    return this.#files.locate(sha256)
  }

  stream(sha256: string): AsyncIterable<Buffer> {
    return this.#files.stream(sha256)
  }

  /** Removes a content that no document has any more. During an upload it is left to the next removal. */
  async remove(sha256: string, isReferenced: (sha256: string) => boolean): Promise<void> {
    this.#unwanted.add(sha256)
    if (this.#uploads > 0) return
    for (const one of this.#unwanted) {
      this.#unwanted.delete(one)
      if (!isReferenced(one)) await this.#files.remove(one)
    }
  }

  async sweep(isReferenced: (sha256: string) => boolean): Promise<number> {
    this.#unwanted.clear()
    return this.#files.sweep(isReferenced, SETTLED_MS)
  }
}

function* encode(pieces: Iterable<string>): Generator<Buffer> {
  for (const piece of pieces) yield Buffer.from(piece)
}

/** Reads an upload up to a size, and finds its type from its first bytes before the others are read. */
class InspectedBytes {
  readonly #bytes: AsyncIterable<Buffer>
  readonly #maxBytes: number
  #head = Buffer.alloc(0)
  #type: DocumentMedia | undefined

  constructor(bytes: AsyncIterable<Buffer>, maxBytes: number) {
    this.#bytes = bytes
    this.#maxBytes = maxBytes
  }

  get media_type(): DocumentMedia {
    if (this.#type === undefined) throw new UploadRefused('unknown_type')
    return this.#type
  }

  async *read(): AsyncGenerator<Buffer> {
    let size = 0
    for await (const piece of this.#bytes) {
      size += piece.length
      if (size > this.#maxBytes) throw new UploadRefused('too_large')
      if (this.#head.length < HEAD_BYTES) {
        this.#head = Buffer.concat([this.#head, piece.subarray(0, HEAD_BYTES - this.#head.length)])
        this.#type = sniffMediaType(this.#head)
        if (this.#head.length >= HEAD_BYTES && this.#type === undefined) throw new UploadRefused('unknown_type')
      }
      yield piece
    }
    if (this.#type === undefined) throw new UploadRefused('unknown_type')
  }
}
