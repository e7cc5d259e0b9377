import { readFile, stat } from 'node:fs/promises'

/** The text of a file that may change or be missing; read again only when it has changed. */
export class TermsFile {
  readonly #file: string
  #stamp = ''
  #text = ''

  constructor(file: string) {
    this.#file = file
  }

  async text(): Promise<string> {
    try {
      const { ino, size, mtimeMs } = await stat(this.#file)
      const stamp = `${ino}:${size}:${mtimeMs}`
      if (stamp !== this.#stamp) {
        this.#text = await readFile(this.#file, 'utf8')
        this.#stamp = stamp
      }
    } catch (error) {
      // Nobody has to have one; one that is there and cannot be read must not pass for an empty one.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
      this.#stamp = ''
      this.#text = ''
    }
    return this.#text
  }
}
