import { Buffer } from 'node:buffer'
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { createFile, makeFolder } from '../home/private-files.ts'
import { type ContentFiles, openSkillFiles } from './content-files.ts'
import { readZipDirectory, type ZipDirectory, type ZipEntry } from './zip-directory.ts'
import { ZipUnpacker } from './zip-entry.ts'
import { ZipSource } from './zip-source.ts'
import { packZip } from './zip-writer.ts'

/** The uploaded bytes of a reference. */
export interface ReceivedBytes {
  readonly content_hash_sha256: string
  readonly byte_size: number
  readonly head: Buffer
}

export interface OpenBundle extends ZipDirectory {
  unpack(entry: ZipEntry): AsyncIterable<Buffer>
  close(): Promise<void>
}

export interface BundleFile {
  readonly path: string
  readonly content: string
  /** The stored file that is used instead of `content`. */
  readonly stored_sha256?: string | undefined
  readonly executable?: true | undefined
}

/** The upload is larger than allowed. */
export class TooManyBytes extends Error {
  override readonly name = 'TooManyBytes'
}

const UPLOAD_REF = /^tmpart_[0-9a-f-]{36}$/
const PART_SUFFIX = '.part'

/** Opens a bundle for reading. */
export async function openBundleFile(file: string): Promise<OpenBundle> {
  const source = await ZipSource.open(file)
  try {
    const directory = await readZipDirectory(source)
    const unpacker = new ZipUnpacker(source, directory.entries)
    return {
      ...directory,
      unpack: (entry) => unpacker.unpack(entry),
      close: () => source.close(),
    }
  } catch (error) {
    await source.close()
    throw error
  }
}

/** Stores imported bundles: archives as uploaded, and unpacked files by their digest. */
export class BundleStorage {
  readonly #uploads: string
  readonly #files: ContentFiles
  readonly #unpacked: string
  readonly #terms: string

  constructor(home: string, termsFile = join(home, 'blocked-terms.txt')) {
    this.#uploads = join(home, 'imports', 'tmp')
    this.#files = openSkillFiles(home)
    this.#unpacked = join(home, 'imports', 'staged')
    this.#terms = termsFile
  }

  /** Writes uploaded bytes to a temporary file. On an error the file is removed. */
  async receive(ref: string, bytes: AsyncIterable<Buffer>, maxBytes: number): Promise<ReceivedBytes> {
    const file = this.#upload(ref) + PART_SUFFIX
    await makeFolder(this.#uploads)
    const handle = await createFile(file)
    const digest = createHash('sha256')
    let [byte_size, head] = [0, Buffer.alloc(0)]
    try {
      for await (const piece of bytes) {
        byte_size += piece.length
        if (byte_size > maxBytes) throw new TooManyBytes()
        if (head.length < 4) head = Buffer.concat([head, piece.subarray(0, 4)])
        digest.update(piece)
        await handle.appendFile(piece)
      }
      await handle.sync()
    } catch (error) {
      await rm(file, { force: true })
      throw error
    } finally {
      await handle.close()
    }
    return { content_hash_sha256: digest.digest('hex'), byte_size, head }
  }

  /** Gives a received upload its final name. */
  async keep(ref: string): Promise<void> {
    await rename(this.#upload(ref) + PART_SUFFIX, this.#upload(ref))
  }

  async removeUpload(ref: string): Promise<void> {
    for (const suffix of ['', PART_SUFFIX]) await rm(this.#upload(ref) + suffix, { force: true })
  }

  open(ref: string): Promise<OpenBundle> {
    return openBundleFile(this.#upload(ref))
  }

  /** The file of a received upload. */
  locate(ref: string): string {
    return this.#upload(ref)
  }

  /** Stores a file of a bundle. It stays until `sweepFiles` finds no reference to it. */
  keepFile(pieces: AsyncIterable<Buffer>): Promise<{ readonly sha256: string; readonly bytes: number }> {
    return this.#files.writePieces(pieces)
  }

  /** Removes stored files that are not referenced. Nothing may be unpacked at the same time. */
  async sweepFiles(isReferenced: (sha256: string) => boolean): Promise<void> {
    await this.#files.sweep(isReferenced)
  }

  /** Packs files into an archive, in the given order. */
  pack(files: readonly BundleFile[]): Readable {
    return packZip(
      files.map(({ path, content, stored_sha256: stored, executable }) => ({
        path,
        executable,
        content: () => this.readContent({ content, stored_sha256: stored }),
      })),
    )
  }

  /** The bytes of a file of a bundle. */
  async readContent({ content, stored_sha256: stored }: Omit<BundleFile, 'path'>): Promise<Buffer> {
    return stored === undefined ? Buffer.from(content) : await this.#readFile(stored)
  }

  /** Reads the terms that a bundle must not contain, one per line. */
  async blockedTerms(): Promise<string> {
    return readFile(this.#terms, 'utf8').catch(() => '')
  }

  /** Removes files of interrupted uploads, and stores files that an older version unpacked into folders. */
  async tidy(): Promise<void> {
    for (const name of await readdir(this.#uploads).catch(() => [])) {
      if (name.endsWith(PART_SUFFIX)) await rm(join(this.#uploads, name), { force: true })
    }
    await this.#adoptUnpacked()
  }

  async #adoptUnpacked(): Promise<void> {
    const entries = await readdir(this.#unpacked, { recursive: true, withFileTypes: true }).catch(() => [])
    for (const entry of entries) {
      if (entry.isFile()) await this.#files.writePieces(createReadStream(join(entry.parentPath, entry.name)))
    }
    await rm(this.#unpacked, { recursive: true, force: true })
  }

  async #readFile(sha256: string): Promise<Buffer> {
    const found = await this.#files.read(sha256)
    if (found === undefined) throw new Error('A stored file of a skill is missing.')
    return found
  }

  #upload(ref: string): string {
    if (!UPLOAD_REF.test(ref)) throw new Error('Not an upload reference.')
    return join(this.#uploads, ref)
  }
}
