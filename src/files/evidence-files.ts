import { hash, randomUUID } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'

const digest = /^[0-9a-f]{64}$/

/** Pictures and trees as files named by their content, so that the same bytes are kept once. */
export class EvidenceFiles {
  readonly #folder: string

  constructor(home: string) {
    this.#folder = join(home, 'evidence')
  }

  /** On disk when it resolves; returns the content's hash. */
  async write(bytes: Buffer): Promise<string> {
    const sha256 = hash('sha256', bytes, 'hex')
    const file = this.#path(sha256)
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    const temp = `${file}.${randomUUID()}.tmp`
    const handle = await open(temp, 'wx', 0o600)
    try {
      await handle.writeFile(bytes)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(temp, file)
    return sha256
  }

  async read(sha256: string): Promise<Buffer | undefined> {
    return readFile(this.#path(sha256)).catch(() => undefined)
  }

  /** Removes what is no longer wanted, and what a crash left half written. Returns how many files went. */
  async sweep(isWanted: (sha256: string) => boolean): Promise<number> {
    let removed = 0
    for (const folder of await readdir(this.#folder).catch(() => [])) {
      for (const name of await readdir(join(this.#folder, folder))) {
        if (digest.test(name) && isWanted(name)) continue
        await rm(join(this.#folder, folder, name), { force: true })
        removed += 1
      }
    }
    return removed
  }

  #path(sha256: string): string {
    if (!digest.test(sha256)) throw new Error('Not a content hash.')
    return join(this.#folder, sha256.slice(0, 2), sha256)
  }
}
