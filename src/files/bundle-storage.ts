import { Buffer } from 'node:buffer'
import { createHash } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { BundleFolder } from './bundle-folder.ts'
import { readZipDirectory, type ZipDirectory, type ZipEntry } from './zip-directory.ts'
import { ZipUnpacker } from './zip-entry.ts'
import { ZipSource } from './zip-source.ts'
import { packZip } from './zip-writer.ts'

/** What came in under a reference. */
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
  /** The import whose unpacked bundle has the content. */
  readonly staged_ref?: string | undefined
}

/** More came in than may. */
export class TooManyBytes extends Error {
  override readonly name = 'TooManyBytes'
}

const refRule = /^tmpart_[0-9a-f-]{36}$/
const idRule = /^[0-9a-f-]{36}$/
const part = '.part'

export const stagedFolder = (home: string): string => join(home, 'imports', 'staged')

/** Where bundles lie that came from outside: as they were uploaded, and unpacked. */
export class BundleStorage {
  readonly #uploads: string
  readonly #staged: string
  readonly #terms: string

  constructor(home: string, termsFile = join(home, 'blocked-terms.txt')) {
    this.#uploads = join(home, 'imports', 'tmp')
    this.#staged = stagedFolder(home)
    this.#terms = termsFile
  }

  /** Writes bytes down as they come. Whatever goes wrong, nothing of them is left. */
  async receive(
    ref: string,
    bytes: AsyncIterable<Buffer>,
    mostBytes: number,
  ): Promise<ReceivedBytes> {
    const file = this.#upload(ref) + part
    await mkdir(this.#uploads, { recursive: true, mode: 0o700 })
    const handle = await open(file, 'wx', 0o600)
    const digest = createHash('sha256')
    let [byte_size, head] = [0, Buffer.alloc(0)]
    try {
      for await (const piece of bytes) {
        byte_size += piece.length
        if (byte_size > mostBytes) throw new TooManyBytes()
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

  /** What was received stays from here on. */
  async keep(ref: string): Promise<void> {
    await rename(this.#upload(ref) + part, this.#upload(ref))
  }

  async removeUpload(ref: string): Promise<void> {
    for (const end of ['', part]) await rm(this.#upload(ref) + end, { force: true })
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

  /** A fresh folder to unpack into; it has its name only once it is finished. */
  stage(importId: string): Promise<BundleFolder> {
    if (!idRule.test(importId)) throw new Error('Not an import.')
    return BundleFolder.make(this.#staged, importId)
  }

  async removeStaged(importId: string): Promise<void> {
    if (!idRule.test(importId)) throw new Error('Not an import.')
    await BundleFolder.remove(this.#staged, importId)
  }

  /** The content of a file of an unpacked bundle. */
  readStaged(importId: string, path: string): Promise<Buffer> {
    if (!idRule.test(importId)) throw new Error('Not an import.')
    return readFile(BundleFolder.inside(join(this.#staged, importId), path))
  }

  /** A bundle as an archive, in the order given. */
  pack(files: readonly BundleFile[]): Readable {
    return packZip(
      files.map(({ path, content, staged_ref }) => ({
        path,
        content: async () =>
          staged_ref === undefined ? Buffer.from(content) : this.readStaged(staged_ref, path),
      })),
    )
  }

  /** What the operator does not allow in a bundle, one term per line. */
  async blockedTerms(): Promise<string> {
    return readFile(this.#terms, 'utf8').catch(() => '')
  }

  /** Removes what a crash left of uploads and of unpacking. */
  async tidy(): Promise<void> {
    for (const name of await readdir(this.#uploads).catch(() => [])) {
      if (name.endsWith(part)) await rm(join(this.#uploads, name), { force: true })
    }
    await BundleFolder.tidy(this.#staged)
  }

  #upload(ref: string): string {
    if (!refRule.test(ref)) throw new Error('Not an upload.')
    return join(this.#uploads, ref)
  }
}
