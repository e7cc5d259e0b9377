import { HANGUP_CODE, ShellExit } from './budget.ts'
import { createReader, LineReader } from './line-reader.ts'
import { BOTH } from './redirect-parser.ts'
import { runSubshell, type Shell } from './shell-state.ts'
import { OutputCollector, reportError, type Streams } from './streams.ts'
import type { Command } from './syntax.ts'

/** Runs all parts at once. A part whose reader ended is stopped, as by SIGPIPE. */
export async function runPipe(shell: Shell, parts: readonly Command[], streams: Streams): Promise<number> {
  const links = parts.slice(1).map(() => new PipeLink(shell, streams.signal))
  try {
    const running = parts.map(async (part, index) => {
      const [before, after] = [links[index - 1], links[index]]
      const stdin = before === undefined ? streams.stdin : new LineReader(before, before.reading.signal)
      const stdout = after === undefined ? streams.stdout : after.write
      const signal = after === undefined ? streams.signal : after.writing.signal
      try {
        return await runSubshell(shell, part, { ...streams, stdin, stdout, signal })
      } finally {
        before?.stopWriter()
        after?.end()
      }
    })
    const codes = await Promise.all(running)
    if (streams.signal.aborted) throw new ShellExit(HANGUP_CODE)
    return codes.at(-1) ?? 0
  } finally {
    for (const link of links) link.release()
  }
}

/** What one part writes and the next one reads. */
class PipeLink implements AsyncIterable<Buffer> {
  private readonly outer: AbortSignal
  private readonly collector: OutputCollector
  private wake: (() => void) | undefined
  private ended = false
  /** Aborted when the reader ended. */
  readonly writing = new AbortController()
  /** Aborted when the whole shell is. */
  readonly reading = new AbortController()

  constructor(shell: Shell, outer: AbortSignal) {
    this.outer = outer
    this.collector = new OutputCollector(shell.budget)
    outer.addEventListener('abort', this.abortBoth)
    if (outer.aborted) this.abortBoth()
  }

  readonly write = (chunk: Buffer): void => {
    if (this.writing.signal.aborted) return
    this.collector.write(chunk)
    this.wake?.()
  }

  end(): void {
    this.ended = true
    this.wake?.()
  }

  stopWriter(): void {
    this.writing.abort()
  }

  release(): void {
    this.outer.removeEventListener('abort', this.abortBoth)
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    for (;;) {
      const chunk = this.collector.take()
      if (chunk.length > 0) yield chunk
      else if (this.ended) return
      else await new Promise<void>((resolve) => (this.wake = resolve))
    }
  }

  private readonly abortBoth = (): void => {
    this.writing.abort()
    this.reading.abort()
    this.end()
  }
}

/**
 * Starts a command beside the shell: `command &`. It ends with the stream of the shell, unless its output goes to
 * files: then it goes on after the shell.
 */
export function runBackground(shell: Shell, command: Command, streams: Streams): number {
  const stopped = new AbortController()
  const stop = (): void => stopped.abort()
  const detached = writesToFiles(command)
  if (!detached) streams.signal.addEventListener('abort', stop, { once: true })
  const stdin = createReader(Buffer.alloc(0), stopped.signal)
  const pid = shell.device.processes.start('sh', stop)
  if (pid === undefined) {
    reportError(streams, "can't fork - try again")
    return 1
  }
  const run = async (): Promise<number> => {
    try {
      return await runSubshell(shell, command, { ...streams, stdin, signal: stopped.signal })
    } finally {
      shell.device.processes.end(pid)
      streams.signal.removeEventListener('abort', stop)
    }
  }
  shell.jobs.lastPid = pid
  shell.jobs.running.set(pid, { outcome: run(), detached })
  return 0
}

function writesToFiles(command: Command): boolean {
  if (command.kind !== 'simple' && command.kind !== 'redirected') return false
  const written = command.redirects.filter(({ how }) => how.startsWith('>')).map(({ fd }) => fd)
  return written.includes(BOTH) || (written.includes(1) && written.includes(2))
}

/** Waits for commands beside the shell that use its streams. */
export async function finishJobs({ jobs }: Shell): Promise<void> {
  const attached = [...jobs.running.values()].filter(({ detached }) => !detached)
  await Promise.all(attached.map(({ outcome }) => outcome))
}
