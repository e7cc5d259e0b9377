/** Shows progress on stderr: one line that is overwritten on a terminal, otherwise one line per change. */
export class ProgressLine {
  readonly #out: NodeJS.WriteStream
  #last = ''

  constructor(out: NodeJS.WriteStream = process.stderr) {
    this.#out = out
  }

  /** `detail` changes often and is shown on a terminal only. */
  show(text: string, detail?: string): void {
    if (this.#out.isTTY) {
      const line = detail === undefined ? text : `${text}  ${detail}`
      this.#out.write(`\r\u001B[2K${line.slice(0, Math.max(20, this.#out.columns - 1))}`)
    } else if (text !== this.#last) this.#out.write(`${text}\n`)
    this.#last = text
  }

  /** Removes the line before other output is written. */
  clear(): void {
    if (this.#out.isTTY && this.#last !== '') this.#out.write('\r\u001B[2K')
  }
}
