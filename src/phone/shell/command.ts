import type { Device } from '../model/device.ts'
import type { LineReader } from './line-reader.ts'

/** What a running command is given. */
export interface Call {
  readonly name: string
  readonly args: readonly string[]
  readonly device: Device
  readonly stdin: LineReader
  readonly signal: AbortSignal
  stdout(chunk: Buffer): void
  stderr(chunk: Buffer): void
  /** The terminal itself, whatever the standard streams were sent to. */
  tty(chunk: Buffer): void
}

/** A program of the phone. Resolves with its exit code. */
export type Program = (call: Call) => number | Promise<number>

export function print(call: Call, text: string): void {
  if (text !== '') call.stdout(Buffer.from(text))
}

export function complain(call: Call, text: string): void {
  if (text !== '') call.stderr(Buffer.from(text))
}
