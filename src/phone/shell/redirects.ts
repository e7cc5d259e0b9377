import { FileError, type FileTree } from '../host/file-tree.ts'
import { createFolderView } from '../host/folder-view.ts'
import { ShellEnvironment } from './environment.ts'
import { expandWord } from './expansion.ts'
import { createReader } from './line-reader.ts'
import type { MaybePromise } from './maybe-promise.ts'
import { BOTH } from './redirect-parser.ts'
import type { Shell } from './shell-state.ts'
import { reportError, type Streams } from './streams.ts'
import type { Redirect } from './syntax.ts'

/** Opens the files of the redirects and runs the body with them. */
export function withRedirects(
  shell: Shell,
  redirects: readonly Redirect[],
  streams: Streams,
  body: (streams: Streams) => MaybePromise<number>,
): MaybePromise<number> {
  return redirects.length === 0 ? body(streams) : openAndRun(shell, redirects, streams, body)
}

async function openAndRun(
  shell: Shell,
  redirects: readonly Redirect[],
  streams: Streams,
  body: (streams: Streams) => MaybePromise<number>,
): Promise<number> {
  const inner = await openRedirects(shell, redirects, streams)
  return inner === undefined ? 1 : body(inner)
}

/** Applies redirects in order. Reports an error and returns undefined if a file cannot be opened. */
export async function openRedirects(
  shell: Shell,
  redirects: readonly Redirect[],
  streams: Streams,
): Promise<Streams | undefined> {
  const environment = new ShellEnvironment(shell, streams)
  const files = createFolderView(shell.device.files, shell.folder)
  let inner = streams
  for (const redirect of redirects) {
    const target = await expandWord(redirect.target, environment)
    try {
      inner = applyRedirect(inner, redirect, { target, files })
    } catch (error) {
      if (!(error instanceof FileError)) throw error
      const verb = redirect.how === '<' ? 'open' : 'create'
      reportError(streams, `can't ${verb} ${target}: ${error.message}`)
      return undefined
    }
  }
  return inner
}

interface Target {
  readonly target: string
  readonly files: FileTree
}

function applyRedirect(streams: Streams, { how, fd }: Redirect, { target, files }: Target): Streams {
  if (how === '<<' || how === '<<<') {
    const text = how === '<<' ? target : `${target}\n`
    return { ...streams, stdin: createReader(Buffer.from(text), streams.signal) }
  }
  if (how === '<&')
    return target === '-' ? { ...streams, stdin: createReader(Buffer.alloc(0), streams.signal) } : streams
  if (how === '<' || how === '<>') return { ...streams, stdin: createReader(readInput(files, target), streams.signal) }
  const sink = how === '>&' ? toDescriptor(streams, target) : openOutput(streams, { target, files }, how === '>>')
  if (fd === BOTH) return { ...streams, stdout: sink, stderr: sink }
  if (fd === 2) return { ...streams, stderr: sink }
  return fd === 1 ? { ...streams, stdout: sink } : streams
}

function readInput(files: FileTree, path: string): Buffer {
  if (path === '/dev/null') return Buffer.alloc(0)
  const data = files.read(path)
  if (data === undefined) throw new FileError(files.isFolder(path) ? 'Is a directory' : 'No such file or directory')
  return data
}

function toDescriptor(streams: Streams, target: string): (chunk: Buffer) => void {
  if (target === '-') return () => undefined
  return target === '2' ? streams.stderr : streams.stdout
}

function openOutput(streams: Streams, { target, files }: Target, append: boolean): (chunk: Buffer) => void {
  if (target === '/dev/null') return () => undefined
  if (target === '/dev/tty') return streams.tty
  if (target === '/dev/stdout' || target === '/proc/self/fd/1') return streams.stdout
  if (target === '/dev/stderr' || target === '/proc/self/fd/2') return streams.stderr
  if (!append) files.save(target, Buffer.alloc(0))
  else files.append(target, Buffer.alloc(0))
  return (chunk) => files.append(target, chunk)
}
