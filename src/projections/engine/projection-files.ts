import { hash, randomBytes } from 'node:crypto'
import {
  type FileHandle,
  lstat,
  mkdir,
  open,
  readFile,
  rename,
  rmdir,
  unlink,
} from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'

const digestLimit = 20_000
const temporary = /^\.[0-9a-f]{16}\.tmp$/

/** Was this file left behind by a replacement that never finished? */
export const isTemporary = (name: string): boolean => temporary.test(name)

/**
 * The folder of mirrors, and the only hands that touch it. What was written is on disk when its own call returns;
 * that it also has its name there, once `syncFolders` returns.
 */
export class MirrorFiles {
  readonly root: string
  readonly #known = new Set<string>()
  readonly #unsynced = new Set<string>()
  /** What was last seen or put into files, so that most need not be read again to be compared. */
  readonly #digests = new Map<string, string>()
  /** Files replaced or appended to since the start. */
  written = 0

  constructor(root: string) {
    this.root = root
  }

  /** Is this what the file says? A change made by somebody else is only seen by the next start. */
  async says(file: string, content: Buffer): Promise<boolean> {
    const known = this.#digests.get(file)
    if (known !== undefined) return known === digest(content)
    const present = await this.#read(file)
    if (present === undefined || !content.equals(present)) return false
    this.#remember(file, content)
    return true
  }

  /** Undefined when there is no regular file of that name: a link is not followed. */
  async size(file: string): Promise<number | undefined> {
    try {
      const found = await lstat(this.#at(file))
      return found.isFile() ? found.size : undefined
    } catch (error) {
      return absent(error)
    }
  }

  async replaceWith(file: string, content: Buffer): Promise<void> {
    this.#digests.delete(file)
    await this.replace(file, (handle) => handle.writeFile(content))
    this.#remember(file, content)
  }

  /** Readers see the old content or the new one, never a part. `fill` writes the new one. */
  async replace(file: string, fill: (handle: FileHandle) => Promise<unknown>): Promise<void> {
    const path = this.#at(file)
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
    this.written += 1
  }

  /** Puts lines after the first `at` bytes. */
  async append(file: string, at: number, lines: Buffer): Promise<void> {
    await this.#change(file, (handle) => writeAll(handle, lines, at))
  }

  /** Keeps the first `at` bytes and no more. */
  async cut(file: string, at: number): Promise<void> {
    await this.#change(file, (handle) => handle.truncate(at))
  }

  /** Removes a file, and the folders that it leaves empty, up to but not including `keep`. */
  async remove(file: string, keep: string): Promise<void> {
    this.#digests.delete(file)
    const path = this.#at(file)
    try {
      await unlink(path)
    } catch (error) {
      absent(error)
      return
    }
    this.#unsynced.add(dirname(path))
    await this.#prune(dirname(path), this.#at(keep))
  }

  async syncFolders(): Promise<void> {
    for (const folder of this.#unsynced) {
      await syncFolder(folder)
      this.#unsynced.delete(folder)
    }
  }

  #remember(file: string, content: Buffer): void {
    if (this.#digests.size >= digestLimit) this.#digests.clear()
    this.#digests.set(file, digest(content))
  }

  async #read(file: string): Promise<Buffer | undefined> {
    try {
      return await readFile(this.#at(file))
    } catch (error) {
      return absent(error)
    }
  }

  async #change(file: string, work: (handle: FileHandle) => Promise<void>): Promise<void> {
    const handle = await open(this.#at(file), 'r+')
    try {
      await work(handle)
      await handle.sync()
    } finally {
      await handle.close()
    }
    this.written += 1
  }

  async #create(temp: string): Promise<FileHandle> {
    await this.#ensureFolder(dirname(temp))
    try {
      return await open(temp, 'wx', 0o600)
    } catch (error) {
      absent(error)
    }
    // Somebody removed a folder known to be there.
    this.#known.clear()
    await this.#ensureFolder(dirname(temp))
    return await open(temp, 'wx', 0o600)
  }

  async #ensureFolder(folder: string): Promise<void> {
    if (this.#known.has(folder)) return
    const first = await mkdir(folder, { recursive: true, mode: 0o700 })
    if (first !== undefined) {
      for (let made = folder; made.length >= first.length; made = dirname(made)) {
        this.#unsynced.add(dirname(made))
      }
    }
    this.#known.add(folder)
  }

  async #prune(folder: string, keep: string): Promise<void> {
    for (let empty = folder; empty.startsWith(keep + sep); empty = dirname(empty)) {
      try {
        await rmdir(empty)
      } catch {
        return
      }
      this.#known.delete(empty)
      this.#unsynced.delete(empty)
      this.#unsynced.add(dirname(empty))
    }
  }

  #at(file: string): string {
    return join(this.root, file)
  }
}

const digest = (content: Buffer): string => hash('sha256', content, 'base64')

/** A single write may take less than it was given. */
async function writeAll(handle: FileHandle, bytes: Buffer, at: number): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, at + done)
    done += bytesWritten
  }
}

async function syncFolder(folder: string): Promise<void> {
  let handle: FileHandle
  try {
    handle = await open(folder, 'r')
  } catch (error) {
    // A folder that is gone has no names left to keep.
    absent(error)
    return
  }
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Lets "there is no such file" pass as undefined and throws any other error on. */
function absent(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
  throw error
}
