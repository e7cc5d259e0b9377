import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'

/** The built daemon. */
export const daemonProgram = join(import.meta.dirname, '..', '..', 'dist', 'main.js')

export interface Program {
  readonly child: ChildProcess
  /** The first line of its output. Rejects if it ends without one. */
  readonly firstLine: Promise<Record<string, unknown>>
  /** Its exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals>
  readonly spawnedAt: bigint
  end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals>
}

/** Starts a Node program whose first line of output is JSON. The caller ends it. */
export function startProgram(args: readonly string[], env: Readonly<Record<string, string>> = {}): Program {
  const spawnedAt = process.hrtime.bigint()
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'] ?? '', HOME: tmpdir(), NODE_ENV: 'production', ...env },
  })
  const errors: Buffer[] = []
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk))
  const ended = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | NodeJS.Signals)
  const firstLine = Promise.race([
    readLine(child.stdout),
    ended.then((code) => {
      throw new Error(`${args[0]} ended with ${code}: ${Buffer.concat(errors).toString()}`)
    }),
  ])
  // Avoids an unhandled rejection if the program is killed before its first line.
  firstLine.catch(() => undefined)
  return {
    child,
    firstLine,
    ended,
    spawnedAt,
    end: (signal) => {
      child.kill(signal)
      return ended
    },
  }
}

/** The environment of a daemon with `home`, on any free port. */
export const buildDaemonEnv = (home: string, token: string): Record<string, string> => ({
  APPRENTICE_HOME: home,
  APPRENTICE_PORT: '0',
  APPRENTICE_PHONE: 'simulated',
  APPRENTICE_TOKEN: token,
})

/** Reads the first line. Further output is discarded. */
async function readLine(output: Readable): Promise<Record<string, unknown>> {
  const lines = createInterface({ input: output })
  const [line] = (await once(lines, 'line')) as [string]
  lines.close()
  output.resume()
  return JSON.parse(line) as Record<string, unknown>
}
