import { type ChildProcess, spawn } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { StringDecoder } from 'node:string_decoder'
import { type CapturedText, TextCapture } from './captured-text.ts'
import { endProcessFamily, type ProcessFamily } from './process-family.ts'

export interface ProgramOptions {
  readonly file: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly timeoutMs: number
  /** The time between SIGTERM and SIGKILL. */
  readonly graceMs: number
  readonly limits: OutputLimits
  /** `NAME=value` in its environment, by which all its processes are found. */
  readonly mark: string
  /** Whether the file is a wrapper that ends with the program in it. It would end the program without grace. */
  readonly isWrapped?: boolean
  /** A user id that only this program has. */
  readonly user?: number | undefined
  readonly signal: AbortSignal
  onPrinted(stream: Stream, text: string): void
}

export interface OutputLimits {
  /** Characters of each stream that are stored, from its start and its end. */
  readonly head: number
  readonly tail: number
  /** A program that prints more bytes to both streams together is ended. */
  readonly bytes: number
}

export type Stream = 'stdout' | 'stderr'
export type EndedBy = 'exit' | 'timeout' | 'output_limit' | 'stopped' | 'spawn_failure'

export interface ProgramResult {
  readonly ended_by: EndedBy
  readonly exit_code: number | null
  readonly signal?: string | undefined
  readonly spawn_error?: string | undefined
  readonly duration_ms: number
  readonly stdout: CapturedText
  readonly stderr: CapturedText
  /** Whether all its processes have ended. */
  readonly clean: boolean
}

const DRAIN_MS = 1000
/** The time that child processes get when the program itself has ended. */
const REAP_MS = 500

/** Runs a program in its own process group. Resolves when the program and all its descendants have ended. */
export function runProgram(options: ProgramOptions): Promise<ProgramResult> {
  return new RunningProgram(options).run()
}

class RunningProgram {
  readonly #options: ProgramOptions
  readonly #startedMs = performance.now()
  readonly #captures: Readonly<Record<Stream, TextCapture>>
  #bytes = 0
  #endedBy: EndedBy = 'exit'
  #stop: (why: EndedBy) => void = () => undefined

  constructor(options: ProgramOptions) {
    this.#options = options
    this.#captures = {
      stdout: new TextCapture(options.limits),
      stderr: new TextCapture(options.limits),
    }
  }

  async run(): Promise<ProgramResult> {
    const { file, args, cwd, env, mark, graceMs, isWrapped, user } = this.#options
    const child = spawn(file, args, {
      cwd,
      env: { ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
      // Node also drops the groups of the daemon.
      ...(user === undefined ? {} : { uid: user, gid: user }),
    })
    this.#listen(child, 'stdout')
    this.#listen(child, 'stderr')
    const closed = new Promise<void>((resolve) => child.once('close', () => resolve()))
    const end = await this.#waitForEnd(child)
    const wrapper = isWrapped === true ? child.pid : undefined
    const family: ProcessFamily = { group: child.pid, mark, user, wrapper }
    const hasStarted = child.pid !== undefined
    const clean = !hasStarted || (await endProcessFamily(family, end.exited ? REAP_MS : graceMs))
    // The pipes close when all processes have ended. A process that cannot be ended keeps them open.
    await Promise.race([closed, pause(hasStarted ? DRAIN_MS : 0)])
    child.stdout?.destroy()
    child.stderr?.destroy()
    return this.#report(child, { clean, spawn_error: end.error })
  }

  /** Resolves when the program has ended or must be ended. */
  #waitForEnd(child: ChildProcess): Promise<{ exited: boolean; error?: string }> {
    const { timeoutMs, signal } = this.#options
    return new Promise((resolve) => {
      let isOver = false
      const over = (why: EndedBy, exited: boolean, error?: string) => {
        // Later reasons are consequences of the first one.
        if (isOver) return
        isOver = true
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
      this.#addOutput(stream, decoder.write(chunk), chunk.length)
    })
    child[stream]?.once('end', () => this.#addOutput(stream, decoder.end(), 0))
    // A broken pipe has no more output.
    child[stream]?.on('error', () => undefined)
  }

  #addOutput(stream: Stream, text: string, bytes: number): void {
    this.#bytes += bytes
    this.#captures[stream].push(text, bytes)
    if (text !== '') this.#options.onPrinted(stream, text)
    if (this.#bytes > this.#options.limits.bytes) this.#stop('output_limit')
  }

  #report(
    child: ChildProcess,
    { clean, spawn_error }: { clean: boolean; spawn_error: string | undefined },
  ): ProgramResult {
    const { signalCode } = child
    return {
      ended_by: this.#endedBy,
      exit_code: child.exitCode,
      duration_ms: Math.round(performance.now() - this.#startedMs),
      stdout: this.#captures.stdout.toText(),
      stderr: this.#captures.stderr.toText(),
      clean,
      ...(signalCode === null ? {} : { signal: signalCode }),
      ...(spawn_error === undefined ? {} : { spawn_error }),
    }
  }
}
