import { readFile, stat } from 'node:fs/promises'

/** Reads an optional file of terms. The text is read again only when the file has changed. */
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
      // The file is optional. A file that exists but cannot be read must not count as empty.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
      this.#stamp = ''
      this.#text = ''
    }
    return this.#text
  }
}
