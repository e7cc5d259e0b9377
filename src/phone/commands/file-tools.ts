import { FileRefusal, resolvePath } from '../host/file-tree.ts'
import type { FileStat } from '../host/host.ts'
import { complain, print, type Call, type Program } from '../shell/command.ts'

function split(args: readonly string[]): { readonly flags: string; readonly names: string[] } {
  const flags = args.filter((arg) => /^-[A-Za-z0-9]+$/.test(arg)).join('')
  return { flags, names: args.filter((arg) => !/^-[A-Za-z0-9]+$/.test(arg) && arg !== '--') }
}

/** Does something to each name; what the file system refuses is said once per name. */
function forEachName(
  call: Call,
  names: readonly string[],
  act: (name: string) => string | undefined,
): number {
  let code = 0
  for (const name of names) {
    let trouble: string | undefined
    try {
      trouble = act(name)
    } catch (error) {
      if (!(error instanceof FileRefusal)) throw error
      trouble = error.message
    }
    if (trouble === undefined) continue
    complain(call, `${call.name}: ${name}: ${trouble}\n`)
    code = 1
  }
  return code
}

function rm(call: Call): number {
  const { flags, names } = split(call.args)
  if (names.length === 0 && !flags.includes('f')) {
    complain(call, 'rm: Needs 1 argument\n')
    return 1
  }
  const { files } = call.device
  return forEachName(call, names, (name) => {
    if (files.stat(name) === undefined)
      return flags.includes('f') ? undefined : 'No such file or directory'
    if (files.isFolder(name) && !/[rR]/.test(flags)) return 'is directory'
    files.remove(name)
    return undefined
  })
}

function mkdir(call: Call): number {
  const { flags, names } = split(call.args)
  return forEachName(call, names, (name) => {
    call.device.files.makeFolder(name, flags.includes('p'))
    return undefined
  })
}

function touch(call: Call): number {
  const { files } = call.device
  return forEachName(call, split(call.args).names, (name) => {
    files.save(name, files.read(name) ?? Buffer.alloc(0))
    return undefined
  })
}

function ls(call: Call): number {
  const { flags, names } = split(call.args)
  const long = flags.includes('l')
  const { files } = call.device
  const asked = names.length === 0 ? ['/'] : names
  return forEachName(call, asked, (name) => {
    const stat = files.stat(name)
    if (stat === undefined) return 'No such file or directory'
    const isFolder = files.isFolder(name) && !flags.includes('d')
    const entries = isFolder ? files.list(name) : [{ ...stat, name }]
    if (isFolder && asked.length > 1) print(call, `${name}:\n`)
    print(call, entries.map((entry) => `${long ? longLine(entry) : entry.name}\n`).join(''))
    return undefined
  })
}

function longLine(entry: FileStat & { readonly name: string }): string {
  const marks = Array.from('rwxrwxrwx', (mark, bit) =>
    (entry.mode >> (8 - bit)) & 1 ? mark : '-',
  ).join('')
  const kind = (entry.mode & 0o40000) === 0 ? '-' : 'd'
  const date = new Date(entry.mtime * 1000).toISOString().slice(0, 16).replace('T', ' ')
  return `${kind}${marks} 1 shell shell ${String(entry.size).padStart(7)} ${date} ${entry.name}`
}

/** `test` and `[`: files, strings and whole numbers. */
function test(call: Call): number {
  const args = [...call.args]
  if (call.name === '[' && args.pop() !== ']') {
    complain(call, '/system/bin/sh: [: missing ]\n')
    return 2
  }
  return holds(call, args) ? 0 : 1
}

function holds(call: Call, args: readonly string[]): boolean {
  const [first = '', second, third] = args
  if (first === '!' && args.length > 1) return !holds(call, args.slice(1))
  if (args.length <= 1) return first !== ''
  if (args.length === 2) return testOne(call, first, second ?? '')
  return testTwo(first, second ?? '', third ?? '')
}

function testOne(call: Call, flag: string, value: string): boolean {
  const { files } = call.device
  const stat = files.stat(value)
  switch (flag) {
    case '-n':
      return value !== ''
    case '-z':
      return value === ''
    case '-d':
      return files.isFolder(value)
    case '-f':
      return stat !== undefined && !files.isFolder(value)
    case '-s':
      return (stat?.size ?? 0) > 0
    default:
      return ['-e', '-r', '-w', '-x'].includes(flag) && stat !== undefined
  }
}

function testTwo(left: string, operator: string, right: string): boolean {
  switch (operator) {
    case '=':
    case '==':
      return left === right
    case '!=':
      return left !== right
    case '-eq':
      return Number(left) === Number(right)
    case '-ne':
      return Number(left) !== Number(right)
    case '-lt':
      return Number(left) < Number(right)
    case '-le':
      return Number(left) <= Number(right)
    case '-gt':
      return Number(left) > Number(right)
    case '-ge':
      return Number(left) >= Number(right)
    default:
      return false
  }
}

function readlink(call: Call): number {
  print(call, `${resolvePath(split(call.args).names[0] ?? '/')}\n`)
  return 0
}

export const fileTools: Readonly<Record<string, Program>> = {
  rm,
  mkdir,
  touch,
  ls,
  test,
  '[': test,
  readlink,
  realpath: readlink,
}
