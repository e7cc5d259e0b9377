import { hash, randomUUID } from 'node:crypto'
import { readdir, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { makeFolder, writeNewFile } from '../home/private-files.ts'

const DIGEST = /^[0-9a-f]{64}$/

/** Stores pictures and UI trees in files named by their digest, so that equal contents are stored once. */
export class EvidenceFiles {
  readonly #folder: string

  constructor(home: string) {
    this.#folder = join(home, 'evidence')
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

  async read(sha256: string): Promise<Buffer | undefined> {
    return readFile(this.#path(sha256)).catch(() => undefined)
  }

  /** Removes unreferenced and incomplete files. Returns the number of removed files. */
  async sweep(isReferenced: (sha256: string) => boolean): Promise<number> {
    let removed = 0
    for (const folder of await readdir(this.#folder).catch(() => [])) {
      for (const name of await readdir(join(this.#folder, folder))) {
        if (DIGEST.test(name) && isReferenced(name)) continue
        await rm(join(this.#folder, folder, name), { force: true })
        removed += 1
      }
    }
    return removed
  }

  #path(sha256: string): string {
    if (!DIGEST.test(sha256)) throw new Error('Not a content hash.')
    return join(this.#folder, sha256.slice(0, 2), sha256)
  }
}
