import { type ChildProcess, spawn } from 'node:child_process'
import { StringDecoder } from 'node:string_decoder'
import { type KeptText, TextKeeper } from './kept-text.ts'
import { endFamily, type Family } from './process-family.ts'

export interface ProgramOrder {
  readonly file: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly timeoutMs: number
  /** How long it may take to end when it is asked to. */
  readonly graceMs: number
  readonly limits: OutputLimits
  /** `NAME=value`, in its environment: by this everything it starts is found again. */
  readonly mark: string
  readonly signal: AbortSignal
  onPrinted(stream: Stream, text: string): void
}

export interface OutputLimits {
  /** Kept of each stream. */
  readonly head: number
  readonly tail: number
  /** A program that prints more than this, of both together, is ended. */
  readonly bytes: number
}

export type Stream = 'stdout' | 'stderr'
export type EndedBy = 'exit' | 'timeout' | 'output_limit' | 'stopped' | 'spawn_failure'

export interface ProgramEnd {
  readonly ended_by: EndedBy
  readonly exit_code: number | null
  readonly signal?: string | undefined
  readonly spawn_error?: string | undefined
  readonly duration_ms: number
  readonly stdout: KeptText
  readonly stderr: KeptText
  /** Whether nothing it started lives any more. */
  readonly clean: boolean
}

const drainMs = 1000

/**
 * Runs a program in a group of its own and comes back when all of it is gone: the program, what it started, and what
 * that started.
 */
export function runProgram(order: ProgramOrder): Promise<ProgramEnd> {
  return new RunningProgram(order).end()
}

class RunningProgram {
  readonly #order: ProgramOrder
  readonly #startedMs = performance.now()
  readonly #kept: Readonly<Record<Stream, TextKeeper>>
  #bytes = 0
  #endedBy: EndedBy = 'exit'
  #stop: (why: EndedBy) => void = () => undefined

  constructor(order: ProgramOrder) {
    this.#order = order
    this.#kept = { stdout: new TextKeeper(order.limits), stderr: new TextKeeper(order.limits) }
  }

  async end(): Promise<ProgramEnd> {
    const { file, args, cwd, env, mark, graceMs } = this.#order
    const child = spawn(file, args, {
      cwd,
      env: { ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    })
    this.#listen(child, 'stdout')
    this.#listen(child, 'stderr')
    const closed = new Promise<void>((resolve) => child.once('close', () => resolve()))
    const gone = await this.#untilOver(child)
    const family: Family = { group: child.pid, mark }
    const born = child.pid !== undefined
    const clean = !born || (await endFamily(family, gone.exited ? reapMs : graceMs))
    // Once all are gone the pipes end; only one that nothing can end keeps them open.
    await Promise.race([closed, pause(born ? drainMs : 0)])
    child.stdout?.destroy()
    child.stderr?.destroy()
    return this.#report(child, { clean, spawn_error: gone.error })
  }

  /** Resolves when the program has ended, or has to. */
  #untilOver(child: ChildProcess): Promise<{ exited: boolean; error?: string }> {
    const { timeoutMs, signal } = this.#order
    return new Promise((resolve) => {
      let known = false
      const over = (why: EndedBy, exited: boolean, error?: string) => {
        // What comes after the first reason follows from it.
        if (known) return
        known = true
        clearTimeout(timer)
        signal.removeEventListener('abort', stopped)
        this.#endedBy = why
        resolve({ exited, ...(error === undefined ? {} : { error }) })
      }
      const timer = setTimeout(() => over('timeout', false), timeoutMs)
      const stopped = () => over('stopped', false)
      this.#stop = (why) => over(why, false)
      child.once('exit', () => over('exit', true))
      child.once('error', (error) => over('spawn_failure', true, error.message))
      if (signal.aborted) stopped()
      else signal.addEventListener('abort', stopped, { once: true })
    })
  }

  #listen(child: ChildProcess, stream: Stream): void {
    const decoder = new StringDecoder('utf8')
    child[stream]?.on('data', (chunk: Buffer) => {
      this.#take(stream, decoder.write(chunk), chunk.length)
    })
    child[stream]?.once('end', () => this.#take(stream, decoder.end(), 0))
    // A pipe that breaks has said all it will.
    child[stream]?.on('error', () => undefined)
  }

  #take(stream: Stream, text: string, bytes: number): void {
    this.#bytes += bytes
    this.#kept[stream].push(text, bytes)
    if (text !== '') this.#order.onPrinted(stream, text)
    if (this.#bytes > this.#order.limits.bytes) this.#stop('output_limit')
  }

  #report(
    child: ChildProcess,
    { clean, spawn_error }: { clean: boolean; spawn_error: string | undefined },
  ): ProgramEnd {
    const { signalCode } = child
    return {
      ended_by: this.#endedBy,
      exit_code: child.exitCode,
      duration_ms: Math.round(performance.now() - this.#startedMs),
      stdout: this.#kept.stdout.keep(),
      stderr: this.#kept.stderr.keep(),
      clean,
      ...(signalCode === null ? {} : { signal: signalCode }),
      ...(spawn_error === undefined ? {} : { spawn_error }),
    }
  }
}

/** What a program leaves behind when it ends by itself gets this long. */
const reapMs = 500

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms)
  })
