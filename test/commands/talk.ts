import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { vi } from 'vitest'
import type { WhenOver } from '../kit/phone-of-the-run.ts'
import type { Run } from './program.ts'

const main = join(import.meta.dirname, '..', '..', 'dist', 'main.js')

/** The built program with somebody at its standard input. */
export class Talk {
  readonly #child: ChildProcess
  readonly #closed: Promise<[number | null]>
  #stdout = ''
  #stderr = ''
  /** How far what was said has been listened to. */
  #heard = 0

  constructor(args: readonly string[], env: Record<string, string>, whenOver: WhenOver) {
    this.#child = spawn(process.execPath, [main, ...args], { env })
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

  /** Waits until it says this, after what was waited for before; returns what was said up to there. */
  async hear(words: string): Promise<string> {
    const end = await vi.waitFor(
      () => {
        const at = this.#stdout.indexOf(words, this.#heard)
        if (at >= 0) return at + words.length
        throw new Error(`"${words}" is not in: ${this.#stdout.slice(this.#heard)}${this.#stderr}`)
      },
      { timeout: 30_000 },
    )
    const said = this.#stdout.slice(this.#heard, end)
    this.#heard = end
    return said
  }

  say(...lines: readonly string[]): void {
    for (const line of lines) this.#child.stdin?.write(`${line}\n`)
  }

  interrupt(): void {
    this.#child.kill('SIGINT')
  }

  /** No more lines; waits for the end. */
  async end(): Promise<Run> {
    this.#child.stdin?.end()
    const [code] = await this.#closed
    return { code, stdout: this.#stdout, stderr: this.#stderr }
  }
}
