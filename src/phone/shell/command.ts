import type { Device } from '../model/device.ts'
import type { LineReader } from './line-reader.ts'

/** The arguments, streams and device of a running command. */
export interface Call {
  readonly name: string
  readonly args: readonly string[]
  readonly device: Device
  readonly stdin: LineReader
  readonly signal: AbortSignal
  stdout(chunk: Buffer): void
  stderr(chunk: Buffer): void
  /** Writes to the terminal, even when the standard streams are redirected. */
  tty(chunk: Buffer): void
}

/** A program of the phone. Returns its exit code. */
export type Program = (call: Call) => number | Promise<number>

export function print(call: Call, text: string): void {
  if (text !== '') call.stdout(Buffer.from(text))
}

export function printError(call: Call, text: string): void {
  if (text !== '') call.stderr(Buffer.from(text))
}
