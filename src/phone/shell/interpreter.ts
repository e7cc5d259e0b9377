import { FileRefusal } from '../file-tree.ts'
import { settle } from '../model/tasks.ts'
import type { Call, Program } from './command.ts'
import { expandWord, expandWords, type Environment } from './expansion.ts'
import { readerOf, type LineReader } from './line-reader.ts'
import type { Device } from '../model/device.ts'
import type { Command, Redirect } from './syntax.ts'

/** The streams a command runs with. */
export interface Streams {
  readonly stdin: LineReader
  readonly stdout: (chunk: Buffer) => void
  readonly stderr: (chunk: Buffer) => void
  readonly tty: (chunk: Buffer) => void
  readonly signal: AbortSignal
}

export interface Shell {
  readonly device: Device
  readonly programs: ReadonlyMap<string, Program>
  readonly variables: Map<string, string>
  lastCode: number
}

/** `exit`, or the end of everything because the stream was closed. */
export class ShellExit extends Error {
  readonly code: number

  constructor(code: number) {
    super(`exit ${code}`)
    this.code = code
  }
}

const HANGUP_CODE = 129

export async function execute(shell: Shell, command: Command, streams: Streams): Promise<number> {
  if (streams.signal.aborted) throw new ShellExit(HANGUP_CODE)
  shell.lastCode = await run(shell, command, streams)
  return shell.lastCode
}

async function run(shell: Shell, command: Command, streams: Streams): Promise<number> {
  switch (command.kind) {
    case 'sequence': {
      let code = 0
      for (const item of command.items) code = await execute(shell, item, streams)
      return code
    }
    case 'and':
    case 'or': {
      const code = await execute(shell, command.left, streams)
      return (code === 0) === (command.kind === 'and')
        ? execute(shell, command.right, streams)
        : code
    }
    case 'not':
      return (await execute(shell, command.command, streams)) === 0 ? 1 : 0
    case 'pipe':
      return runPipe(shell, command, streams)
    case 'group':
      return withRedirects(shell, command.redirects, streams, (inner) =>
        command.subshell
          ? runSubshell(shell, command.body, inner)
          : execute(shell, command.body, inner),
      )
    case 'simple':
      return runSimple(shell, command, streams)
  }
}

/** The left side ends before the right side begins; enough for filters. */
async function runPipe(
  shell: Shell,
  command: Command & { kind: 'pipe' },
  streams: Streams,
): Promise<number> {
  const chunks: Buffer[] = []
  await runSubshell(shell, command.left, { ...streams, stdout: (chunk) => chunks.push(chunk) })
  const stdin = readerOf(Buffer.concat(chunks), streams.signal)
  return runSubshell(shell, command.right, { ...streams, stdin })
}

async function runSubshell(shell: Shell, body: Command, streams: Streams): Promise<number> {
  const inner = { ...shell, variables: new Map(shell.variables) }
  try {
    return await execute(inner, body, streams)
  } catch (error) {
    if (error instanceof ShellExit && !streams.signal.aborted) return error.code
    throw error
  }
}

async function runSimple(
  shell: Shell,
  command: Command & { kind: 'simple' },
  streams: Streams,
): Promise<number> {
  const environment = environmentOf(shell, streams)
  const words = await expandWords(command.words, environment)
  for (const { name, value } of command.assignments) {
    shell.variables.set(name, await expandWord(value, environment))
  }
  return withRedirects(shell, command.redirects, streams, async (inner) => {
    const [name, ...args] = words
    return name === undefined ? 0 : runProgram(shell, name, args, inner)
  })
}

async function runProgram(
  shell: Shell,
  name: string,
  args: readonly string[],
  streams: Streams,
): Promise<number> {
  if (name === 'exit') throw new ShellExit(exitCode(args[0] ?? String(shell.lastCode)))
  if (SHELL_WORDS.has(name)) return changeVariables(shell, name, args)
  const program = shell.programs.get(name.replace(/^(\/system)?\/bin\//, ''))
  if (program === undefined) {
    streams.stderr(Buffer.from(`/system/bin/sh: ${name}: inaccessible or not found\n`))
    return 127
  }
  const call: Call = { ...streams, name, args, device: shell.device }
  settle(shell.device)
  const code = await program(call)
  settle(shell.device)
  return exitCode(String(code))
}

function exitCode(word: string): number {
  return Math.trunc(Number(word)) & 0xff
}

const SHELL_WORDS = new Set(['export', 'unset', 'set', 'cd'])

function changeVariables(shell: Shell, name: string, args: readonly string[]): number {
  for (const arg of args) {
    const [key = '', value] = arg.split(/=(.*)/s)
    if (name === 'unset') shell.variables.delete(key)
    else if (name === 'export' && value !== undefined) shell.variables.set(key, value)
  }
  return 0
}

function environmentOf(shell: Shell, streams: Streams): Environment {
  return {
    files: shell.device.files,
    variable: (name) => (name === '?' ? String(shell.lastCode) : (shell.variables.get(name) ?? '')),
    output: async (body) => {
      const chunks: Buffer[] = []
      const stdout = (chunk: Buffer): void => {
        chunks.push(chunk)
      }
      shell.lastCode = await runSubshell(shell, body, { ...streams, stdout })
      return Buffer.concat(chunks).toString('utf8').replace(/\n+$/, '')
    },
    complain: (text) => streams.stderr(Buffer.from(`/system/bin/sh: ${text}\n`)),
  }
}

/** Opens the files of the redirects in order, runs, and writes what was collected. */
async function withRedirects(
  shell: Shell,
  redirects: readonly Redirect[],
  streams: Streams,
  body: (streams: Streams) => Promise<number>,
): Promise<number> {
  const opened: OpenFile[] = []
  let inner = streams
  for (const redirect of redirects) {
    const target = await expandWord(redirect.target, environmentOf(shell, streams))
    try {
      inner = redirected(shell, inner, redirect, { target, opened })
    } catch (error) {
      if (!(error instanceof FileRefusal)) throw error
      const verb = redirect.how === '<' ? 'open' : 'create'
      streams.stderr(Buffer.from(`/system/bin/sh: can't ${verb} ${target}: ${error.message}\n`))
      return 1
    }
  }
  try {
    return await body(inner)
  } finally {
    for (const file of opened) shell.device.files.save(file.path, Buffer.concat(file.chunks))
  }
}

interface OpenFile {
  readonly path: string
  readonly chunks: Buffer[]
}

function redirected(
  shell: Shell,
  streams: Streams,
  redirect: Redirect,
  { target, opened }: { readonly target: string; readonly opened: OpenFile[] },
): Streams {
  if (redirect.how === '<') {
    const data = target === '/dev/null' ? Buffer.alloc(0) : shell.device.files.read(target)
    if (data === undefined) throw new FileRefusal('No such file or directory')
    return { ...streams, stdin: readerOf(data, streams.signal) }
  }
  const sink = sinkOf(shell, streams, redirect.how, { target, opened })
  return redirect.fd === 2 ? { ...streams, stderr: sink } : { ...streams, stdout: sink }
}

function sinkOf(
  shell: Shell,
  streams: Streams,
  how: Redirect['how'],
  { target, opened }: { readonly target: string; readonly opened: OpenFile[] },
): (chunk: Buffer) => void {
  if (how === '>&') return target === '2' ? streams.stderr : streams.stdout
  if (target === '/dev/null') return () => undefined
  if (target === '/dev/tty') return streams.tty
  const { files } = shell.device
  const before = how === '>>' ? (files.read(target) ?? Buffer.alloc(0)) : Buffer.alloc(0)
  files.save(target, before)
  const file = { path: target, chunks: [before] }
  opened.push(file)
  return (chunk) => {
    file.chunks.push(chunk)
  }
}
