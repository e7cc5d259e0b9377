import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { vi } from 'vitest'
import type { WhenOver } from '../kit/phone-of-the-run.ts'
import type { ProgramResult } from './program.ts'

const MAIN_FILE = join(import.meta.dirname, '..', '..', 'dist', 'main.js')

/** The built program, driven through its standard input. */
export class InteractiveProgram {
  readonly #child: ChildProcess
  readonly #closed: Promise<[number | null]>
  #stdout = ''
  #stderr = ''
  /** The end of the output that earlier waits have matched. */
  #matchedTo = 0

  constructor(args: readonly string[], env: Record<string, string>, whenOver: WhenOver) {
    this.#child = spawn(process.execPath, [MAIN_FILE, ...args], { env })
    this.#closed = once(this.#child, 'close') as Promise<[number | null]>
    this.#child.stdout?.on('data', (chunk: Buffer) => {
      this.#stdout += chunk.toString()
    })
    this.#child.stderr?.on('data', (chunk: Buffer) => {
      this.#stderr += chunk.toString()
    })
    whenOver(async () => {
      this.#child.kill('SIGKILL')
      await this.#closed
    })
  }

  /** Waits for a text after the one waited for before. Returns the output up to its end. */
  async waitFor(text: string): Promise<string> {
    const end = await vi.waitFor(
      () => {
        const at = this.#stdout.indexOf(text, this.#matchedTo)
        if (at >= 0) return at + text.length
        throw new Error(`"${text}" is not in: ${this.#stdout.slice(this.#matchedTo)}${this.#stderr}`)
      },
      { timeout: 30_000 },
    )
    const output = this.#stdout.slice(this.#matchedTo, end)
    this.#matchedTo = end
    return output
  }

  writeLines(...lines: readonly string[]): void {
    for (const line of lines) this.#child.stdin?.write(`${line}\n`)
  }

  interrupt(): void {
    this.#child.kill('SIGINT')
  }

  /** Closes the input and waits for the program to end. */
  async end(): Promise<ProgramResult> {
    this.#child.stdin?.end()
    const [code] = await this.#closed
    return { code, stdout: this.#stdout, stderr: this.#stderr }
  }
}
