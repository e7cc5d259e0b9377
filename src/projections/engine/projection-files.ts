import { hash, randomBytes } from 'node:crypto'
import { type FileHandle, lstat, open, readFile, rename, rmdir, unlink } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
import { createFile, listCreated, makeFolder, syncFolder } from '../../home/private-files.ts'

const MAX_DIGESTS = 20_000
const MAX_FOLDERS = 20_000
const TEMPORARY_NAME = /^\.[0-9a-f]{16}\.tmp$/

/** Says whether a file belongs to a replacement that was interrupted. */
export const isTemporary = (name: string): boolean => TEMPORARY_NAME.test(name)

/**
 * Reads and writes the files under the root folder of the projections. Content is on disk when the writing call
 * returns. New names are on disk when `syncFolders` returns.
 */
export class ProjectionFiles {
  readonly root: string
  readonly #existingFolders = new Set<string>()
  readonly #unsynced = new Set<string>()
  /** The digests of files that were read or written, so that most need not be read again. */
  readonly #digests = new Map<string, string>()
  /** Files replaced or appended to since the start. */
  writeCount = 0

  constructor(root: string) {
    this.root = root
  }

  /** Says whether the file has this content. Changes by other programs are noticed at the next start only. */
  async hasContent(file: string, content: Buffer): Promise<boolean> {
    const known = this.#digests.get(file)
    if (known !== undefined) return known === computeDigest(content)
    const present = await this.#read(file)
    if (present === undefined || !content.equals(present)) return false
    this.#remember(file, content)
    return true
  }

  /** Returns undefined if there is no regular file of that name. Links are not followed. */
  async size(file: string): Promise<number | undefined> {
    try {
      const found = await lstat(this.#resolve(file))
      return found.isFile() ? found.size : undefined
    } catch (error) {
      return ignoreMissing(error)
    }
  }

  async replaceContent(file: string, content: Buffer): Promise<void> {
    this.#digests.delete(file)
    await this.replace(file, (handle) => handle.writeFile(content))
    this.#remember(file, content)
  }

  /** Replaces a file atomically. `fill` writes the new content. */
  async replace(file: string, fill: (handle: FileHandle) => Promise<unknown>): Promise<void> {
    const path = this.#resolve(file)
    const folder = dirname(path)
    const temp = join(folder, `.${randomBytes(8).toString('hex')}.tmp`)
    const handle = await this.#create(temp)
    try {
      try {
        await fill(handle)
        await handle.sync()
      } finally {
        await handle.close()
      }
      await rename(temp, path)
    } catch (error) {
      await unlink(temp).catch(() => undefined)
      throw error
    }
    this.#unsynced.add(folder)
    this.writeCount += 1
  }

  /** Writes lines after the first `at` bytes. */
  async append(file: string, at: number, lines: Buffer): Promise<void> {
    await this.#change(file, (handle) => writeAll(handle, lines, at))
  }

  /** Keeps the first `at` bytes and no more. */
  async truncate(file: string, at: number): Promise<void> {
    await this.#change(file, (handle) => handle.truncate(at))
  }

  /** Removes a file and the folders that become empty, up to but not including `keep`. */
  async remove(file: string, keep: string): Promise<void> {
    this.#digests.delete(file)
    const path = this.#resolve(file)
    try {
      await unlink(path)
    } catch (error) {
      ignoreMissing(error)
      return
    }
    this.#unsynced.add(dirname(path))
    await this.#prune(dirname(path), this.#resolve(keep))
  }

  async syncFolders(): Promise<void> {
    for (const folder of this.#unsynced) {
      // A removed folder needs no sync.
      await syncFolder(folder).catch(ignoreMissing)
      this.#unsynced.delete(folder)
    }
  }

  #remember(file: string, content: Buffer): void {
    if (this.#digests.size >= MAX_DIGESTS) this.#digests.clear()
    this.#digests.set(file, computeDigest(content))
  }

  async #read(file: string): Promise<Buffer | undefined> {
    try {
      return await readFile(this.#resolve(file))
    } catch (error) {
      return ignoreMissing(error)
    }
  }

  async #change(file: string, work: (handle: FileHandle) => Promise<void>): Promise<void> {
    const handle = await open(this.#resolve(file), 'r+')
    try {
      await work(handle)
      await handle.sync()
    } finally {
      await handle.close()
    }
    this.writeCount += 1
  }

  async #create(temp: string): Promise<FileHandle> {
    await this.#ensureFolder(dirname(temp))
    try {
      return await createFile(temp)
    } catch (error) {
      ignoreMissing(error)
    }
    // Another program has removed a folder.
    this.#existingFolders.clear()
    await this.#ensureFolder(dirname(temp))
    return await createFile(temp)
  }

  async #ensureFolder(folder: string): Promise<void> {
    if (this.#existingFolders.has(folder)) return
    const first = await makeFolder(folder)
    for (const created of listCreated(folder, first)) this.#unsynced.add(dirname(created))
    if (this.#existingFolders.size >= MAX_FOLDERS) this.#existingFolders.clear()
    this.#existingFolders.add(folder)
  }

  async #prune(folder: string, keep: string): Promise<void> {
    for (let empty = folder; empty.startsWith(keep + sep); empty = dirname(empty)) {
      try {
        await rmdir(empty)
      } catch {
        return
      }
      this.#existingFolders.delete(empty)
      this.#unsynced.delete(empty)
      this.#unsynced.add(dirname(empty))
    }
  }

  #resolve(file: string): string {
    return join(this.root, file)
  }
}

const computeDigest = (content: Buffer): string => hash('sha256', content, 'base64')

/** Repeats the write until all bytes are written: a single write may write fewer. */
async function writeAll(handle: FileHandle, bytes: Buffer, at: number): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, at + done)
    done += bytesWritten
  }
}

/** Returns undefined for a missing file and throws any other error. */
function ignoreMissing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
  throw error
}
