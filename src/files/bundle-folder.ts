import type { Buffer } from 'node:buffer'
import { createHash } from 'node:crypto'
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join, relative, resolve, sep } from 'node:path'

const passing = '.new-'

/** A folder a bundle is unpacked into. Plain files for their owner alone: no links, no permission to run. */
export class BundleFolder {
  readonly #root: string
  readonly #name: string

  private constructor(root: string, name: string) {
    this.#root = root
    this.#name = name
  }

  static async make(root: string, name: string): Promise<BundleFolder> {
    const folder = new BundleFolder(root, name)
    await rm(folder.#passing, { recursive: true, force: true })
    await mkdir(folder.#passing, { recursive: true, mode: 0o700 })
    return folder
  }

  static async remove(root: string, name: string): Promise<void> {
    for (const folder of [name, passing + name]) {
      await rm(join(root, folder), { recursive: true, force: true })
    }
  }

  /** Removes folders whose bundle was never unpacked to its end. */
  static async tidy(root: string): Promise<void> {
    for (const name of await readdir(root).catch(() => [])) {
      if (name.startsWith(passing)) await rm(join(root, name), { recursive: true, force: true })
    }
  }

  /** The place of a file, which is never outside its folder. */
  static inside(folder: string, path: string): string {
    const parts = path.split('/')
    const plain = parts.every((name) => name !== '' && name !== '.' && name !== '..')
    const file = resolve(folder, path)
    const way = relative(folder, file)
    if (
      !plain ||
      /[\p{Cc}\\]|^[A-Za-z]:/u.test(path) ||
      way.startsWith(`..${sep}`) ||
      way === '..'
    ) {
      throw new Error('Not a path inside a bundle.')
    }
    return file
  }

  async write(
    path: string,
    pieces: AsyncIterable<Buffer> | Iterable<Buffer>,
  ): Promise<{ sha256: string; bytes: number }> {
    const file = BundleFolder.inside(this.#passing, path)
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    const handle = await open(file, 'wx', 0o600)
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

  /** In place of what an earlier try left. */
  async finish(): Promise<void> {
    const target = join(this.#root, this.#name)
    await rm(target, { recursive: true, force: true })
    await rename(this.#passing, target)
    const handle = await open(this.#root, 'r')
    try {
      await handle.sync()
    } finally {
      await handle.close()
    }
  }

  async discard(): Promise<void> {
    await rm(this.#passing, { recursive: true, force: true })
  }

  get #passing(): string {
    return join(this.#root, passing + this.#name)
  }
}
