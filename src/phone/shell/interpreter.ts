import { FileRefusal, type FileTree } from '../host/file-tree.ts'
import { settle } from '../model/tasks.ts'
import { after, type Eventually } from './maybe-promise.ts'
import type { Program } from './command.ts'
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

/** Throws ShellExit, at once or later. */
export function execute(shell: Shell, command: Command, streams: Streams): Eventually<number> {
  if (streams.signal.aborted) throw new ShellExit(HANGUP_CODE)
  return after(run(shell, command, streams), (code) => {
    shell.lastCode = code
    return code
  })
}

function run(shell: Shell, command: Command, streams: Streams): Eventually<number> {
  switch (command.kind) {
    case 'sequence':
      return runSequence(shell, command.items, streams)
    case 'and':
    case 'or':
      return after(execute(shell, command.left, streams), (code) =>
        (code === 0) === (command.kind === 'and') ? execute(shell, command.right, streams) : code,
      )
    case 'not':
      return after(execute(shell, command.command, streams), (code) => (code === 0 ? 1 : 0))
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

function runSequence(
  shell: Shell,
  items: readonly Command[],
  streams: Streams,
): Eventually<number> {
  let code = 0
  for (const [at, item] of items.entries()) {
    const outcome = execute(shell, item, streams)
    if (typeof outcome === 'number') {
      code = outcome
      continue
    }
    const others = items.slice(at + 1)
    if (others.length === 0) return outcome
    return outcome.then(() => runSequence(shell, others, streams))
  }
  return code
}

/** The left side ends before the right side begins; enough for filters. */
function runPipe(
  shell: Shell,
  command: Command & { kind: 'pipe' },
  streams: Streams,
): Eventually<number> {
  const chunks: Buffer[] = []
  const left = { ...streams, stdout: (chunk: Buffer) => void chunks.push(chunk) }
  return after(runSubshell(shell, command.left, left), () => {
    const stdin = readerOf(Buffer.concat(chunks), streams.signal)
    return runSubshell(shell, command.right, { ...streams, stdin })
  })
}

function runSubshell(shell: Shell, body: Command, streams: Streams): Eventually<number> {
  const inner = { ...shell, variables: new Map(shell.variables) }
  const ended = (error: unknown): number => {
    if (error instanceof ShellExit && !streams.signal.aborted) return error.code
    throw error
  }
  try {
    const outcome = execute(inner, body, streams)
    return typeof outcome === 'number' ? outcome : outcome.catch(ended)
  } catch (error) {
    return ended(error)
  }
}

function runSimple(
  shell: Shell,
  command: Command & { kind: 'simple' },
  streams: Streams,
): Eventually<number> {
  const environment = new ShellEnvironment(shell, streams)
  return after(expandWords(command.words, environment), ([name, ...args]) =>
    after(assign(shell, command.assignments, environment), () =>
      withRedirects(shell, command.redirects, streams, (inner) =>
        name === undefined ? 0 : runProgram(shell, name, args, inner),
      ),
    ),
  )
}

function assign(
  shell: Shell,
  [first, ...others]: (Command & { kind: 'simple' })['assignments'],
  environment: Environment,
): Eventually<void> {
  if (first === undefined) return undefined
  return after(expandWord(first.value, environment), (value) => {
    shell.variables.set(first.name, value)
    return assign(shell, others, environment)
  })
}

function runProgram(
  shell: Shell,
  name: string,
  args: readonly string[],
  streams: Streams,
): Eventually<number> {
  if (name === 'exit') throw new ShellExit(exitCode(Number(args[0] ?? shell.lastCode)))
  if (SHELL_WORDS.has(name)) return changeVariables(shell, name, args)
  const program = shell.programs.get(name.replace(/^(\/system)?\/bin\//, ''))
  if (program === undefined) {
    streams.stderr(Buffer.from(`/system/bin/sh: ${name}: inaccessible or not found\n`))
    return 127
  }
  const { device } = shell
  const { stdin, stdout, stderr, tty, signal } = streams
  settle(device)
  return after(program({ name, args, device, stdin, stdout, stderr, tty, signal }), (code) => {
    settle(device)
    return exitCode(code)
  })
}

function exitCode(code: number): number {
  return Math.trunc(code) & 0xff
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

class ShellEnvironment implements Environment {
  private readonly shell: Shell
  private readonly streams: Streams

  constructor(shell: Shell, streams: Streams) {
    this.shell = shell
    this.streams = streams
  }

  get files(): FileTree {
    return this.shell.device.files
  }

  variable(name: string): string {
    const { lastCode, variables } = this.shell
    return name === '?' ? String(lastCode) : (variables.get(name) ?? '')
  }

  async output(body: Command): Promise<string> {
    const chunks: Buffer[] = []
    const stdout = (chunk: Buffer): void => void chunks.push(chunk)
    this.shell.lastCode = await runSubshell(this.shell, body, { ...this.streams, stdout })
    return Buffer.concat(chunks).toString('utf8').replace(/\n+$/, '')
  }

  complain(text: string): void {
    this.streams.stderr(Buffer.from(`/system/bin/sh: ${text}\n`))
  }
}

/** Opens the files of the redirects in order, runs, and writes what was collected. */
function withRedirects(
  shell: Shell,
  redirects: readonly Redirect[],
  streams: Streams,
  body: (streams: Streams) => Eventually<number>,
): Eventually<number> {
  if (redirects.length === 0) return body(streams)
  const opened: OpenFile[] = []
  const opening = { outer: streams, inner: streams, opened }
  return after(openInTurn(shell, redirects, opening), (inner) => {
    if (inner === undefined) return 1
    if (opened.length === 0) return body(inner)
    return savingAfter(shell, opened, () => body(inner))
  })
}

async function savingAfter(
  shell: Shell,
  opened: readonly OpenFile[],
  body: () => Eventually<number>,
): Promise<number> {
  try {
    return await body()
  } finally {
    for (const file of opened) shell.device.files.save(file.path, Buffer.concat(file.chunks))
  }
}

interface Opening {
  /** What the shell itself speaks through. */
  readonly outer: Streams
  /** What the command will have. */
  readonly inner: Streams
  readonly opened: OpenFile[]
}

/** Undefined when a file could not be opened, which the shell has then said. */
function openInTurn(
  shell: Shell,
  [redirect, ...others]: readonly Redirect[],
  opening: Opening,
): Eventually<Streams | undefined> {
  if (redirect === undefined) return opening.inner
  const { outer, opened } = opening
  return after(expandWord(redirect.target, new ShellEnvironment(shell, outer)), (target) => {
    try {
      const inner = redirected(shell, opening.inner, redirect, { target, opened })
      return openInTurn(shell, others, { outer, inner, opened })
    } catch (error) {
      if (!(error instanceof FileRefusal)) throw error
      const verb = redirect.how === '<' ? 'open' : 'create'
      outer.stderr(Buffer.from(`/system/bin/sh: can't ${verb} ${target}: ${error.message}\n`))
      return undefined
    }
  })
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
