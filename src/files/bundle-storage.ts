import { Buffer } from 'node:buffer'
import { createHash } from 'node:crypto'
import { readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { createFile, makeFolder } from '../home/private-files.ts'
import { BundleFolder } from './bundle-folder.ts'
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
  /** The import whose unpacked bundle contains the file. */
  readonly staged_ref?: string | undefined
}

/** The upload is larger than allowed. */
export class TooManyBytes extends Error {
  override readonly name = 'TooManyBytes'
}

const UPLOAD_REF = /^tmpart_[0-9a-f-]{36}$/
const IMPORT_ID = /^[0-9a-f-]{36}$/
const PART_SUFFIX = '.part'

export const stagedFolder = (home: string): string => join(home, 'imports', 'staged')

/** Stores imported bundles: as uploaded, and unpacked. */
export class BundleStorage {
  readonly #uploads: string
  readonly #staged: string
  readonly #terms: string

  constructor(home: string, termsFile = join(home, 'blocked-terms.txt')) {
    this.#uploads = join(home, 'imports', 'tmp')
    this.#staged = stagedFolder(home)
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

  async open(ref: string): Promise<OpenBundle> {
    const source = await ZipSource.open(this.#upload(ref))
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

  /** Creates a folder to unpack into. It gets its final name when it is finished. */
  stage(importId: string): Promise<BundleFolder> {
    if (!IMPORT_ID.test(importId)) throw new Error('Not an import id.')
    return BundleFolder.create(this.#staged, importId)
  }

  async removeStaged(importId: string): Promise<void> {
    if (!IMPORT_ID.test(importId)) throw new Error('Not an import id.')
    await BundleFolder.remove(this.#staged, importId)
  }

  /** Reads a file of an unpacked bundle. */
  readStaged(importId: string, path: string): Promise<Buffer> {
    if (!IMPORT_ID.test(importId)) throw new Error('Not an import id.')
    return readFile(BundleFolder.resolvePath(join(this.#staged, importId), path))
  }

  /** Packs files into an archive, in the given order. */
  pack(files: readonly BundleFile[]): Readable {
    return packZip(
      files.map(({ path, content, staged_ref }) => ({
        path,
        content: async () => (staged_ref === undefined ? Buffer.from(content) : this.readStaged(staged_ref, path)),
      })),
    )
  }

  /** Reads the terms that a bundle must not contain, one per line. */
  async blockedTerms(): Promise<string> {
    return readFile(this.#terms, 'utf8').catch(() => '')
  }

  /** Removes files of interrupted uploads and unpacking. */
  async tidy(): Promise<void> {
    for (const name of await readdir(this.#uploads).catch(() => [])) {
      if (name.endsWith(PART_SUFFIX)) await rm(join(this.#uploads, name), { force: true })
    }
    await BundleFolder.tidy(this.#staged)
  }

  #upload(ref: string): string {
    if (!UPLOAD_REF.test(ref)) throw new Error('Not an upload reference.')
    return join(this.#uploads, ref)
  }
}
