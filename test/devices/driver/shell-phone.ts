import { spawn } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { FileStat, PhoneHost, ShellIo } from '@apprentice/phone/host/host.ts'

export interface ShellPhone extends PhoneHost {
  /** The files that commands created in their folder. */
  traces(): Promise<readonly string[]>
  /** The arguments of every call of an added tool, in order. */
  calls(tool: string): Promise<readonly (readonly string[])[]>
  /** Number of running commands. */
  readonly running: number
  /** Number of opened interactive shells. */
  readonly shellsOpened: number
}

/**
 * A phone whose commands run in a real POSIX shell, so that quoting, redirection and exit codes are real.
 * Only `TOOLS` and the given scripts are on its path. Scripts log their arguments before they run.
 */
export async function startShellPhone(
  serial: string,
  scripts: Readonly<Record<string, string>> = {},
): Promise<ShellPhone> {
  const base = await mkdtemp(join(tmpdir(), 'apprentice-shell-phone-'))
  const home = join(base, 'home')
  const bin = join(base, 'bin')
  await Promise.all([mkdir(home), mkdir(bin)])
  for (const tool of TOOLS) await symlink(`/usr/bin/${tool}`, join(bin, tool))
  for (const [tool, script] of Object.entries(scripts)) {
    const note = `printf '%s\\0' "$#" "$@" >>'${join(base, tool)}.calls'`
    await writeFile(join(bin, tool), `#!/bin/sh\n${note}\n${script}\n`)
    await chmod(join(bin, tool), 0o755)
  }
  onTestFinished(() => rm(base, { recursive: true, force: true }))
  const counts = { running: 0, shellsOpened: 0 }
  return {
    serial,
    traces: () => readdir(home),
    calls: async (tool) => parseCalls(await readFile(join(base, `${tool}.calls`)).catch(() => EMPTY)),
    banner: { product: 'shell_phone', model: 'Shell Phone', device: 'shell' },
    features: ['shell_v2', 'cmd', 'stat_v2', 'ls_v2'],
    files: memoryFiles(),
    get running() {
      return counts.running
    },
    get shellsOpened() {
      return counts.shellsOpened
    },
    async run(commandLine, io) {
      counts.running += 1
      if (commandLine === '') counts.shellsOpened += 1
      try {
        return await runSh(commandLine, io, base)
      } finally {
        counts.running -= 1
      }
    },
  }
}

const TOOLS = ['cat', 'head', 'sleep', 'grep', 'rm', 'touch']

function runSh(commandLine: string, io: ShellIo, base: string): Promise<number> {
  const args = commandLine === '' ? [] : ['-c', commandLine]
  const cwd = join(base, 'home')
  const env = { PATH: join(base, 'bin'), HOME: cwd }
  const child = spawn('/bin/sh', args, { cwd, env, detached: true })
  const end = () => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
    } catch {
      // The process group has already ended.
    }
  }
  io.signal.addEventListener('abort', end, { once: true })
  child.stdout.on('data', (chunk: Buffer) => io.stdout(chunk))
  child.stderr.on('data', (chunk: Buffer) => io.stderr(chunk))
  child.stdin.on('error', () => {})
  const feed = async () => {
    for await (const chunk of io.stdin) child.stdin.write(chunk)
    child.stdin.end()
  }
  feed().catch(end)
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => {
      io.signal.removeEventListener('abort', end)
      resolve(code ?? 137)
    })
    if (io.signal.aborted) end()
  })
}

const EMPTY = Buffer.alloc(0)

/** Each call is its number of arguments and then the arguments, all ended by NUL. */
function parseCalls(log: Buffer): string[][] {
  const parts = log.toString('utf8').split('\0').slice(0, -1)
  const calls: string[][] = []
  for (let at = 0; at < parts.length;) {
    const count = Number(parts[at])
    calls.push(parts.slice(at + 1, at + 1 + count))
    at += 1 + count
  }
  return calls
}

function memoryFiles(): PhoneHost['files'] {
  const held = new Map<string, { data: Buffer; stat: FileStat }>()
  return {
    stat: (path) => held.get(path)?.stat,
    list: () => [],
    read: (path) => held.get(path)?.data,
    write: (path, data, { mode, mtime }) => {
      if (path.startsWith('/system/')) throw new Error('Read-only file system')
      held.set(path, { data, stat: { mode: 0o100000 | mode, size: data.length, mtime } })
    },
  }
}
