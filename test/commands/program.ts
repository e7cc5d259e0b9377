import { type ChildProcess, spawn } from 'node:child_process'
import { on, once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface, type Interface } from 'node:readline'
import { onTestFinished, vi } from 'vitest'
import type { WhenOver } from '../kit/phone-of-the-run.ts'

const MAIN_FILE = join(import.meta.dirname, '..', '..', 'dist', 'main.js')

export interface ProgramResult {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export function createHome(whenOver: WhenOver = onTestFinished): string {
  const home = mkdtempSync(join(tmpdir(), 'apprentice-home-'))
  whenOver(() => rmSync(home, { recursive: true, force: true }))
  return home
}

/** Runs the built program to its end. */
export async function runProgram(args: readonly string[], env: Record<string, string>): Promise<ProgramResult> {
  const child = spawnProgram(args, env)
  const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)]
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, stdout: stdout(), stderr: stderr() }
}

export interface RunningProgram {
  /** Resolves with what was printed on stderr as soon as it contains the text. */
  waitForError(text: string): Promise<string>
  /** Resolves as soon as what was printed on stdout contains the text. */
  waitForOutput(text: string): Promise<void>
  /** Asks the program to end, and resolves with how it did. */
  terminate(): Promise<ProgramResult>
  readonly ended: Promise<ProgramResult>
}

/** Starts the built program. It is killed with the test. */
export function startProgram(args: readonly string[], env: Record<string, string>): RunningProgram {
  const child = spawnProgram(args, env)
  const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)]
  const closed = once(child, 'close') as Promise<[number | null]>
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await closed
  })
  const ended = closed.then(([code]) => ({ code, stdout: stdout(), stderr: stderr() }))
  return {
    waitForError: async (text) => {
      await vi.waitUntil(() => stderr().includes(text), { timeout: 60_000 })
      return stderr()
    },
    waitForOutput: async (text) => {
      await vi.waitUntil(() => stdout().includes(text), { timeout: 60_000 })
    },
    terminate: () => {
      child.kill('SIGTERM')
      return ended
    },
    ended,
  }
}

export interface RunningDaemon {
  readonly url: string
  readonly child: ChildProcess
  readonly firstLine: Record<string, unknown>
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

/** Starts the built daemon and waits for the log line with its address. */
export async function serve(
  home: string,
  env: Record<string, string> = {},
  whenOver: WhenOver = onTestFinished,
  { mainFile = MAIN_FILE, options = [] }: { mainFile?: string; options?: readonly string[] } = {},
): Promise<RunningDaemon> {
  const settings = {
    APPRENTICE_HOME: home,
    APPRENTICE_PORT: '0',
    APPRENTICE_PHONE: 'simulated',
    ...env,
  }
  const child = spawnProgram(['serve', ...options], settings, mainFile)
  const stderr = collect(child.stderr)
  const closed = once(child, 'close') as Promise<[number | null]>
  whenOver(async () => {
    child.kill('SIGKILL')
    // It may write into its home until it has ended, and the home is removed next.
    await closed
  })
  if (child.stdout === null) throw new Error('no output')
  const lines = createInterface({ input: child.stdout })
  const [firstLine, addressLine] = await Promise.race([
    readUntilAddress(lines),
    closed.then(([code]) => {
      throw new Error(`the daemon ended with ${code}: ${stderr()}`)
    }),
  ])
  return {
    url: String(addressLine['url']),
    child,
    firstLine,
    stop: async (signal = 'SIGTERM') => {
      child.kill(signal)
      const [code] = await closed
      return code
    },
  }
}

/** The first line and the one with the address, before which the daemon cannot be stopped in an orderly way. */
async function readUntilAddress(output: Interface): Promise<[Record<string, unknown>, Record<string, unknown>]> {
  let first: Record<string, unknown> | undefined
  for await (const [text] of on(output, 'line', { close: ['close'] })) {
    const line = JSON.parse(String(text)) as Record<string, unknown>
    first ??= line
    if ('url' in line) return [first, line]
  }
  throw new Error('the daemon printed no address')
}

function spawnProgram(args: readonly string[], env: Record<string, string>, mainFile = MAIN_FILE): ChildProcess {
  return spawn(process.execPath, [mainFile, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'] ?? '', HOME: tmpdir(), ...env },
  })
}

function collect(stream: NodeJS.ReadableStream | null): () => string {
  const chunks: Buffer[] = []
  stream?.on('data', (chunk: Buffer) => chunks.push(chunk))
  return () => Buffer.concat(chunks).toString()
}
