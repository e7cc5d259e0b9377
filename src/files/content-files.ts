import { createHash, hash, randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createFile, makeFolder, syncFolder, writeNewFile } from '../home/private-files.ts'

const DIGEST = /^[0-9a-f]{64}$/
/** Where a file is while its digest is not known yet. */
const UNNAMED_FOLDER = 'new'
/** An unfinished file of this age belongs to a daemon that was killed. */
const ABANDONED_MS = 3_600_000

/** Stores contents in files named by their digest, so that equal contents are stored once. */
export class ContentFiles {
  readonly folder: string

  constructor(folder: string) {
    this.folder = folder
  }

  /** Returns the SHA-256 of the content. The file is on disk when the promise resolves. */
  async write(bytes: Buffer): Promise<string> {
    const sha256 = hash('sha256', bytes, 'hex')
    const file = this.#path(sha256)
    await makeFolder(dirname(file))
    const temp = `${file}.${randomUUID()}.tmp`
    await writeNewFile(temp, bytes)
    await rename(temp, file)
    return sha256
  }

  /** Writes a content that does not fit into memory. */
  async writePieces(
    pieces: AsyncIterable<Buffer> | Iterable<Buffer>,
  ): Promise<{ readonly sha256: string; readonly bytes: number }> {
    const temp = join(this.folder, UNNAMED_FOLDER, randomUUID())
    await makeFolder(dirname(temp))
    const handle = await createFile(temp)
    const digest = createHash('sha256')
    let bytes = 0
    try {
      for await (const piece of pieces) {
        digest.update(piece)
        bytes += piece.length
        await handle.appendFile(piece)
      }
      await handle.sync()
    } catch (error) {
      await rm(temp, { force: true })
      throw error
    } finally {
      await handle.close()
    }
    const sha256 = digest.digest('hex')
    const file = this.#path(sha256)
    await makeFolder(dirname(file))
    await rename(temp, file)
    await syncFolder(dirname(file))
    return { sha256, bytes }
  }

  /** Returns undefined if there is no such content. */
  async read(sha256: string): Promise<Buffer | undefined> {
    return readFile(this.#path(sha256)).catch(() => undefined)
  }

  /** The file of a content, which may not exist. */
  locate(sha256: string): string {
    return this.#path(sha256)
  }

  stream(sha256: string): AsyncIterable<Buffer> {
    return createReadStream(this.#path(sha256))
  }

  /** A part of a content, shorter at its end. */
  async readPart(sha256: string, offset: number, maxBytes: number): Promise<Buffer> {
    const pieces: Buffer[] = []
    const range = { start: offset, end: offset + maxBytes - 1 }
    for await (const piece of createReadStream(this.#path(sha256), range)) pieces.push(piece as Buffer)
    return Buffer.concat(pieces)
  }

  async remove(sha256: string): Promise<void> {
    await rm(this.#path(sha256), { force: true })
  }

  /**
   * Removes unreferenced files of some age, and those that were never finished. Returns the number of removed files.
   */
  async sweep(isReferenced: (sha256: string) => boolean, minAgeMs = 0): Promise<number> {
    let removed = 0
    for (const folder of await readdir(this.folder).catch(() => [])) {
      for (const name of await readdir(join(this.folder, folder))) {
        const file = join(this.folder, folder, name)
        const isKept = DIGEST.test(name)
          ? isReferenced(name) || (minAgeMs > 0 && !(await isOlder(file, minAgeMs)))
          : !(await isOlder(file, ABANDONED_MS))
        if (isKept) continue
        await rm(file, { force: true })
        removed += 1
      }
    }
    return removed
  }

  #path(sha256: string): string {
    if (!DIGEST.test(sha256)) throw new Error('Not a content hash.')
    return join(this.folder, sha256.slice(0, 2), sha256)
  }
}

/** Pictures and UI trees. */
export const openEvidenceFiles = (home: string): ContentFiles => new ContentFiles(join(home, 'evidence'))

/** Reports that scenes collected. */
export const openReportFiles = (home: string): ContentFiles => new ContentFiles(join(home, 'reports'))

/** Files and texts that connectors returned. */
export const openConnectorFiles = (home: string): ContentFiles => new ContentFiles(join(home, 'connector-files'))

/** Uploaded documents, and what operations wrote from them. */
export const openDocumentFiles = (home: string): ContentFiles => new ContentFiles(join(home, 'documents'))

/** Files of imported skills. */
export const openSkillFiles = (home: string): ContentFiles => new ContentFiles(join(home, 'skill-files'))

async function isOlder(file: string, ageMs: number): Promise<boolean> {
  const found = await stat(file).catch(() => undefined)
  return found !== undefined && Date.now() - found.mtimeMs > ageMs
}
