import type { FileTree } from '../host/file-tree.ts'
import type { Device } from '../model/device.ts'
import type { LineReader } from './line-reader.ts'
import type { Streams } from './streams.ts'

/** The arguments, streams and device of a running command. */
export interface Call {
  readonly name: string
  readonly args: readonly string[]
  readonly device: Device
  /** The files of the phone. Relative paths begin in the current folder. */
  readonly files: FileTree
  readonly folder: string
  /** The exported variables. */
  readonly environment: () => readonly (readonly [name: string, value: string])[]
  readonly programs: ReadonlyMap<string, Program>
  readonly stdin: LineReader
  readonly signal: AbortSignal
  stdout(chunk: Buffer): void
  stderr(chunk: Buffer): void
  /** Writes to the terminal, even when the standard streams are redirected. */
  tty(chunk: Buffer): void
  /** A promise while the client has much output to take. A program that writes without end waits for it. */
  readonly drained: () => Promise<void> | undefined
  /** Runs a command as a child, e.g. for `xargs`. */
  run(argv: readonly string[], changes?: CallChanges): Promise<number>
  /** Runs a script in a new shell. The first argument is its `$0`. */
  runScript(script: string, args: readonly string[]): Promise<number>
}

export interface CallChanges {
  readonly environment?: readonly (readonly [name: string, value: string])[]
  readonly streams?: Partial<Streams>
}

/** A program of the phone. Returns its exit code. */
export type Program = (call: Call) => number | Promise<number>

export function print(call: Call, text: string): void {
  if (text !== '') call.stdout(Buffer.from(text))
}

export function printError(call: Call, text: string): void {
  if (text !== '') call.stderr(Buffer.from(text))
}
