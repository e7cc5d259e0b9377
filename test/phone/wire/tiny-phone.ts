import { setTimeout as sleep } from 'node:timers/promises'
import type { FileStat, PhoneFiles, PhoneHost, ShellIo } from '@apprentice/phone/host/host.ts'

export interface TinyPhone extends PhoneHost {
  readonly files: TinyFiles
  /** The command lines run so far. */
  readonly ran: readonly string[]
  /** Number of commands that are running. */
  readonly running: number
}

/**
 * A minimal phone for tests of the adb protocol: in-memory files and a few commands, one per line or
 * separated by `;`. No pipes. Single quotes are ignored.
 */
export function tinyPhone(
  options: { readonly serial?: string; readonly features?: readonly string[] } = {},
): TinyPhone {
  const files = new TinyFiles()
  const ran: string[] = []
  let running = 0
  return {
    serial: options.serial ?? 'tiny-1',
    banner: { product: 'tiny_product', model: 'Tiny Phone (one)', device: 'tiny' },
    features: options.features ?? ['shell_v2', 'cmd', 'stat_v2', 'ls_v2'],
    files,
    ran,
    get running() {
      return running
    },
    async run(command, io) {
      ran.push(command)
      running += 1
      try {
        return command === '' ? await interact(io, files) : await runLine(command, io, files)
      } finally {
        running -= 1
      }
    },
  }
}

async function interact(io: ShellIo, files: TinyFiles): Promise<number> {
  let partial = ''
  let code = 0
  for await (const chunk of io.stdin) {
    const lines = (partial + chunk.toString()).split('\n')
    partial = lines.pop() ?? ''
    for (const line of lines) {
      if (/^exit( \d+)?$/.test(line)) return Number(line.split(' ')[1] ?? code)
      code = await runLine(line, io, files)
    }
  }
  return code
}

async function runLine(line: string, io: ShellIo, files: TinyFiles): Promise<number> {
  let code = 0
  for (const command of line.split(';').map((part) => part.trim())) {
    const [name = '', ...args] = command.split(/\s+/).map((arg) => arg.replaceAll("'", ''))
    const exit = name === 'exit'
    code = await runOne(name, args, { io, files })
    if (exit || io.signal.aborted) break
  }
  return code
}

async function runOne(
  name: string,
  args: readonly string[],
  { io, files }: { io: ShellIo; files: TinyFiles },
): Promise<number> {
  const [first = ''] = args
  switch (name) {
    case '':
    case 'true':
      return 0
    case 'false':
      return 1
    case 'exit':
      return Number(first)
    case 'echo':
      io.stdout(Buffer.from(`${args.join(' ')}\n`))
      return 0
    case 'warn':
      io.stderr(Buffer.from(`${args.join(' ')}\n`))
      return 0
    case 'bytes':
      io.stdout(patternBytes(Number(first)))
      return 0
    case 'sleep':
      await sleep(Number(first) * 1000, undefined, { signal: io.signal }).catch(() => {})
      return 0
    case 'crash':
      throw new Error('out of order')
    case 'cat':
      return cat(first, io, files)
    default:
      io.stderr(Buffer.from(`/system/bin/sh: ${name}: inaccessible or not found\n`))
      return 127
  }
}

async function cat(path: string, io: ShellIo, files: TinyFiles): Promise<number> {
  if (path === '') {
    for await (const chunk of io.stdin) io.stdout(chunk)
    return 0
  }
  const data = files.read(path)
  if (data === undefined) {
    io.stderr(Buffer.from(`cat: ${path}: No such file or directory\n`))
    return 1
  }
  io.stdout(data)
  return 0
}

/** All byte values, including CR and LF, in an order that reveals lost or moved bytes. */
export function patternBytes(length: number): Buffer {
  const bytes = Buffer.alloc(length)
  for (let at = 0; at < length; at += 1) bytes[at] = (at * 31 + (at >> 8)) & 0xff
  return bytes
}

class TinyFiles implements PhoneFiles {
  private readonly entries = new Map<string, { data: Buffer; stat: FileStat }>()

  stat(path: string): FileStat | undefined {
    const file = this.entries.get(path)
    if (file !== undefined) return file.stat
    return this.list(path).length > 0 ? { mode: 0o040771, size: 4096, mtime: 1_700_000_000 } : undefined
  }

  list(path: string): readonly (FileStat & { readonly name: string })[] {
    const folder = `${path.replace(/\/$/, '')}/`
    return [...this.entries]
      .filter(([name]) => name.startsWith(folder) && !name.slice(folder.length).includes('/'))
      .map(([name, { stat }]) => ({ ...stat, name: name.slice(folder.length) }))
  }

  read(path: string): Buffer | undefined {
    return this.entries.get(path)?.data
  }

  write(path: string, data: Buffer, stat: { readonly mode: number; readonly mtime: number }): void {
    if (path.startsWith('/system/')) throw new Error('Read-only file system')
    const mode = 0o100000 | (stat.mode & 0o777)
    this.entries.set(path, { data, stat: { mode, size: data.length, mtime: stat.mtime } })
  }
}
