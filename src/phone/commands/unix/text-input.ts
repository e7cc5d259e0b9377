import { randomBytes } from 'node:crypto'
import { printError, type Call } from '../../shell/command.ts'

/** What `read` returns of a device file without end. */
const ENDLESS_BYTES = 1024 * 1024

/** Reads a file, standard input for `-`, or part of a device file. Reports a missing file. */
export async function readFile(call: Call, name: string): Promise<Buffer | undefined> {
  if (name === '-' || name === '/dev/stdin') return call.stdin.all()
  if (name === '/dev/zero') return Buffer.alloc(ENDLESS_BYTES)
  if (name === '/dev/urandom' || name === '/dev/random') return randomBytes(ENDLESS_BYTES)
  const data = call.files.read(name)
  if (data === undefined) {
    const reason = call.files.isFolder(name) ? 'Is a directory' : 'No such file or directory'
    printError(call, `${call.name}: ${name}: ${reason}\n`)
  }
  return data
}

/** Reads the named files, or standard input when no file is named. Undefined if a file is missing. */
export async function readInput(call: Call, names: readonly string[]): Promise<Buffer | undefined> {
  if (names.length === 0) return call.stdin.all()
  const parts: Buffer[] = []
  for (const name of names) {
    const data = await readFile(call, name)
    if (data === undefined) return undefined
    parts.push(data)
  }
  return Buffer.concat(parts)
}

export function splitLines(text: string): string[] {
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines
}

/** The lines of the named files in turn, or of standard input as they come. */
export async function* readLines(call: Call, names: readonly string[]): AsyncGenerator<string> {
  if (names.length > 0) {
    const data = await readInput(call, names)
    if (data !== undefined) yield* splitLines(data.toString('utf8'))
    return
  }
  for (let line = await call.stdin.line(); line !== undefined; line = await call.stdin.line()) yield line
}
