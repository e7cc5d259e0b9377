import type { Buffer } from 'node:buffer'
import { createHash } from 'node:crypto'
import { readdir, rename, rm } from 'node:fs/promises'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { createFile, makeFolder, syncFolder } from '../home/private-files.ts'

const UNFINISHED_PREFIX = '.new-'

/** A folder into which a bundle is unpacked: regular files without execute permission, readable by the owner only. */
export class BundleFolder {
  readonly #root: string
  readonly #name: string

  private constructor(root: string, name: string) {
    this.#root = root
    this.#name = name
  }

  static async create(root: string, name: string): Promise<BundleFolder> {
    const folder = new BundleFolder(root, name)
    await rm(folder.#unfinished, { recursive: true, force: true })
    await makeFolder(folder.#unfinished)
    return folder
  }

  static async remove(root: string, name: string): Promise<void> {
    for (const folder of [name, UNFINISHED_PREFIX + name]) {
      await rm(join(root, folder), { recursive: true, force: true })
    }
  }

  /** Removes folders of interrupted unpacking. */
  static async tidy(root: string): Promise<void> {
    for (const name of await readdir(root).catch(() => [])) {
      if (name.startsWith(UNFINISHED_PREFIX)) await rm(join(root, name), { recursive: true, force: true })
    }
  }

  /** Resolves the path of a file inside a folder. Throws if it would be outside. */
  static resolvePath(folder: string, path: string): string {
    const parts = path.split('/')
    const isPlain = parts.every((name) => name !== '' && name !== '.' && name !== '..')
    const file = resolve(folder, path)
    const relativePath = relative(folder, file)
    if (
      !isPlain ||
      /[\p{Cc}\\]|^[A-Za-z]:/u.test(path) ||
      relativePath.startsWith(`..${sep}`) ||
      relativePath === '..'
    ) {
      throw new Error('The path is not inside the bundle.')
    }
    return file
  }

  async write(
    path: string,
    pieces: AsyncIterable<Buffer> | Iterable<Buffer>,
  ): Promise<{ sha256: string; bytes: number }> {
    const file = BundleFolder.resolvePath(this.#unfinished, path)
    await makeFolder(dirname(file))
    const handle = await createFile(file)
    const digest = createHash('sha256')
    let bytes = 0
    try {
      for await (const piece of pieces) {
        digest.update(piece)
        bytes += piece.length
        await handle.appendFile(piece)
      }
      await handle.sync()
    } finally {
      await handle.close()
    }
    return { sha256: digest.digest('hex'), bytes }
  }

  /** Gives the folder its final name and replaces the result of an earlier attempt. */
  async finish(): Promise<void> {
    const target = join(this.#root, this.#name)
    await rm(target, { recursive: true, force: true })
    await rename(this.#unfinished, target)
    await syncFolder(this.#root)
  }

  async discard(): Promise<void> {
    await rm(this.#unfinished, { recursive: true, force: true })
  }

  get #unfinished(): string {
    return join(this.#root, UNFINISHED_PREFIX + this.#name)
  }
}
