/** Says on stderr what goes on: one line that is written over on a terminal, else a line for each change. */
export class ProgressLine {
  readonly #out: NodeJS.WriteStream
  #last = ''

  constructor(out: NodeJS.WriteStream = process.stderr) {
    this.#out = out
  }

  /** `since` changes all the time and is shown on a terminal only. */
  show(words: string, since?: string): void {
    if (this.#out.isTTY) {
      const line = since === undefined ? words : `${words}  ${since}`
      this.#out.write(`\r\u001B[2K${line.slice(0, Math.max(20, this.#out.columns - 1))}`)
    } else if (words !== this.#last) this.#out.write(`${words}\n`)
    this.#last = words
  }

  /** Makes room for ordinary output. */
  clear(): void {
    if (this.#out.isTTY && this.#last !== '') this.#out.write('\r\u001B[2K')
  }
}
