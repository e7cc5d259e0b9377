import { FileError, type FileTree } from '../host/file-tree.ts'
import { runDueTimers } from '../model/tasks.ts'
import { chain, type MaybePromise } from './maybe-promise.ts'
import type { Program } from './command.ts'
import { expandWord, expandWords, type Environment } from './expansion.ts'
import { createReader, type LineReader } from './line-reader.ts'
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

/** Thrown by `exit` and when the stream was closed. */
export class ShellExit extends Error {
  readonly code: number

  constructor(code: number) {
    super(`exit ${code}`)
    this.code = code
  }
}

const HANGUP_CODE = 129

/** Runs a command. Throws ShellExit, or rejects with it. */
export function execute(shell: Shell, command: Command, streams: Streams): MaybePromise<number> {
  if (streams.signal.aborted) throw new ShellExit(HANGUP_CODE)
  return chain(run(shell, command, streams), (code) => {
    shell.lastCode = code
    return code
  })
}

function run(shell: Shell, command: Command, streams: Streams): MaybePromise<number> {
  switch (command.kind) {
    case 'sequence':
      return runSequence(shell, command.items, streams)
    case 'and':
    case 'or':
      return chain(execute(shell, command.left, streams), (code) =>
        (code === 0) === (command.kind === 'and') ? execute(shell, command.right, streams) : code,
      )
    case 'not':
      return chain(execute(shell, command.command, streams), (code) => (code === 0 ? 1 : 0))
    case 'pipe':
      return runPipe(shell, command, streams)
    case 'group':
      return withRedirects(shell, command.redirects, streams, (inner) =>
        command.subshell ? runSubshell(shell, command.body, inner) : execute(shell, command.body, inner),
      )
    case 'simple':
      return runSimple(shell, command, streams)
  }
}

function runSequence(shell: Shell, items: readonly Command[], streams: Streams): MaybePromise<number> {
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

/** Runs the left side to its end before the right side starts. This is sufficient for filters. */
function runPipe(shell: Shell, command: Command & { kind: 'pipe' }, streams: Streams): MaybePromise<number> {
  const chunks: Buffer[] = []
  const left = { ...streams, stdout: (chunk: Buffer) => void chunks.push(chunk) }
  return chain(runSubshell(shell, command.left, left), () => {
    const stdin = createReader(Buffer.concat(chunks), streams.signal)
    return runSubshell(shell, command.right, { ...streams, stdin })
  })
}

function runSubshell(shell: Shell, body: Command, streams: Streams): MaybePromise<number> {
  const inner = { ...shell, variables: new Map(shell.variables) }
  const toExitCode = (error: unknown): number => {
    if (error instanceof ShellExit && !streams.signal.aborted) return error.code
    throw error
  }
  try {
    const outcome = execute(inner, body, streams)
    return typeof outcome === 'number' ? outcome : outcome.catch(toExitCode)
  } catch (error) {
    return toExitCode(error)
  }
}

function runSimple(shell: Shell, command: Command & { kind: 'simple' }, streams: Streams): MaybePromise<number> {
  const environment = new ShellEnvironment(shell, streams)
  return chain(expandWords(command.words, environment), ([name, ...args]) =>
    chain(assign(shell, command.assignments, environment), () =>
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
): MaybePromise<void> {
  if (first === undefined) return undefined
  return chain(expandWord(first.value, environment), (value) => {
    shell.variables.set(first.name, value)
    return assign(shell, others, environment)
  })
}

function runProgram(shell: Shell, name: string, args: readonly string[], streams: Streams): MaybePromise<number> {
  if (name === 'exit') throw new ShellExit(truncateExitCode(Number(args[0] ?? shell.lastCode)))
  if (BUILTINS.has(name)) return runBuiltin(shell, name, args)
  const program = shell.programs.get(name.replace(/^(\/system)?\/bin\//, ''))
  if (program === undefined) {
    streams.stderr(Buffer.from(`/system/bin/sh: ${name}: inaccessible or not found\n`))
    return 127
  }
  const { device } = shell
  const { stdin, stdout, stderr, tty, signal } = streams
  runDueTimers(device)
  return chain(program({ name, args, device, stdin, stdout, stderr, tty, signal }), (code) => {
    runDueTimers(device)
    return truncateExitCode(code)
  })
}

function truncateExitCode(code: number): number {
  return Math.trunc(code) & 0xff
}

const BUILTINS = new Set(['export', 'unset', 'set', 'cd'])

function runBuiltin(shell: Shell, name: string, args: readonly string[]): number {
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
    return Buffer.concat(chunks)
      .toString('utf8')
      .replace(/(?<!\n)\n+$/, '')
  }

  reportError(text: string): void {
    this.streams.stderr(Buffer.from(`/system/bin/sh: ${text}\n`))
  }
}

/** Opens the files of the redirects, runs the body and saves the collected output. */
function withRedirects(
  shell: Shell,
  redirects: readonly Redirect[],
  streams: Streams,
  body: (streams: Streams) => MaybePromise<number>,
): MaybePromise<number> {
  if (redirects.length === 0) return body(streams)
  const opened: OpenFile[] = []
  const state = { outer: streams, inner: streams, opened }
  return chain(openRedirects(shell, redirects, state), (inner) => {
    if (inner === undefined) return 1
    if (opened.length === 0) return body(inner)
    return runAndSave(shell, opened, () => body(inner))
  })
}

async function runAndSave(
  shell: Shell,
  opened: readonly OpenFile[],
  body: () => MaybePromise<number>,
): Promise<number> {
  try {
    return await body()
  } finally {
    for (const file of opened) shell.device.files.save(file.path, Buffer.concat(file.chunks))
  }
}

interface RedirectState {
  /** The streams of the shell. */
  readonly outer: Streams
  /** The streams of the command. */
  readonly inner: Streams
  readonly opened: OpenFile[]
}

/** Applies the redirects in order. Reports an error and returns undefined if a file cannot be opened. */
function openRedirects(
  shell: Shell,
  [redirect, ...others]: readonly Redirect[],
  state: RedirectState,
): MaybePromise<Streams | undefined> {
  if (redirect === undefined) return state.inner
  const { outer, opened } = state
  return chain(expandWord(redirect.target, new ShellEnvironment(shell, outer)), (target) => {
    try {
      const inner = applyRedirect(shell, state.inner, redirect, { target, opened })
      return openRedirects(shell, others, { outer, inner, opened })
    } catch (error) {
      if (!(error instanceof FileError)) throw error
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

function applyRedirect(
  shell: Shell,
  streams: Streams,
  redirect: Redirect,
  { target, opened }: { readonly target: string; readonly opened: OpenFile[] },
): Streams {
  if (redirect.how === '<') {
    const data = target === '/dev/null' ? Buffer.alloc(0) : shell.device.files.read(target)
    if (data === undefined) throw new FileError('No such file or directory')
    return { ...streams, stdin: createReader(data, streams.signal) }
  }
  const sink = openOutput(shell, streams, redirect.how, { target, opened })
  return redirect.fd === 2 ? { ...streams, stderr: sink } : { ...streams, stdout: sink }
}

function openOutput(
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
