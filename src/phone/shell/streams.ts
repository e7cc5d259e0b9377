import type { Budget } from './budget.ts'
import type { LineReader } from './line-reader.ts'

/** The streams a command runs with. */
export interface Streams {
  readonly stdin: LineReader
  readonly stdout: (chunk: Buffer) => void
  readonly stderr: (chunk: Buffer) => void
  readonly tty: (chunk: Buffer) => void
  readonly signal: AbortSignal
}

/** Reports an error of the shell itself. */
export function reportError(streams: Streams, text: string): void {
  streams.stderr(Buffer.from(`/system/bin/sh: ${text}\n`))
}

/** Collects output in memory. The budget of the shell limits it. */
export class OutputCollector {
  private readonly chunks: Buffer[] = []
  private readonly budget: Budget
  readonly write: (chunk: Buffer) => void

  constructor(budget: Budget) {
    this.budget = budget
    this.write = (chunk) => {
      this.budget.addOutput(chunk.length)
      this.chunks.push(chunk)
    }
  }

  take(): Buffer {
    const output = Buffer.concat(this.chunks.splice(0))
    this.budget.addOutput(-output.length)
    return output
  }
}
