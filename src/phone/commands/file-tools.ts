import { FileError, resolvePath } from '../host/file-tree.ts'
import type { FileStat } from '../host/host.ts'
import { printError, print, type Call, type Program } from '../shell/command.ts'

function splitFlags(args: readonly string[]): { readonly flags: string; readonly names: string[] } {
  const flags = args.filter((arg) => /^-[A-Za-z0-9]+$/.test(arg)).join('')
  return { flags, names: args.filter((arg) => !/^-[A-Za-z0-9]+$/.test(arg) && arg !== '--') }
}

/** Calls `action` for each name. Prints one error per failed name. Returns the exit code. */
function forEachName(call: Call, names: readonly string[], action: (name: string) => string | undefined): number {
  let code = 0
  for (const name of names) {
    let problem: string | undefined
    try {
      problem = action(name)
    } catch (error) {
      if (!(error instanceof FileError)) throw error
      problem = error.message
    }
    if (problem === undefined) continue
    printError(call, `${call.name}: ${name}: ${problem}\n`)
    code = 1
  }
  return code
}

function rm(call: Call): number {
  const { flags, names } = splitFlags(call.args)
  if (names.length === 0 && !flags.includes('f')) {
    printError(call, 'rm: Needs 1 argument\n')
    return 1
  }
  const { files } = call.device
  return forEachName(call, names, (name) => {
    if (files.stat(name) === undefined) return flags.includes('f') ? undefined : 'No such file or directory'
    if (files.isFolder(name) && !/[rR]/.test(flags)) return 'is directory'
    files.remove(name)
    return undefined
  })
}

function mkdir(call: Call): number {
  const { flags, names } = splitFlags(call.args)
  return forEachName(call, names, (name) => {
    call.device.files.makeFolder(name, flags.includes('p'))
    return undefined
  })
}

function touch(call: Call): number {
  const { files } = call.device
  return forEachName(call, splitFlags(call.args).names, (name) => {
    files.save(name, files.read(name) ?? Buffer.alloc(0))
    return undefined
  })
}

function ls(call: Call): number {
  const { flags, names } = splitFlags(call.args)
  const long = flags.includes('l')
  const { files } = call.device
  const targets = names.length === 0 ? ['/'] : names
  return forEachName(call, targets, (name) => {
    const stat = files.stat(name)
    if (stat === undefined) return 'No such file or directory'
    const isFolder = files.isFolder(name) && !flags.includes('d')
    const entries = isFolder ? files.list(name) : [{ ...stat, name }]
    if (isFolder && targets.length > 1) print(call, `${name}:\n`)
    print(call, entries.map((entry) => `${long ? formatLongLine(entry) : entry.name}\n`).join(''))
    return undefined
  })
}

function formatLongLine(entry: FileStat & { readonly name: string }): string {
  const marks = Array.from('rwxrwxrwx', (mark, bit) => ((entry.mode >> (8 - bit)) & 1 ? mark : '-')).join('')
  const kind = (entry.mode & 0o40000) === 0 ? '-' : 'd'
  const date = new Date(entry.mtime * 1000).toISOString().slice(0, 16).replace('T', ' ')
  return `${kind}${marks} 1 shell shell ${String(entry.size).padStart(7)} ${date} ${entry.name}`
}

/** `test` and `[`: files, strings and integers. */
function test(call: Call): number {
  const args = [...call.args]
  if (call.name === '[' && args.pop() !== ']') {
    printError(call, '/system/bin/sh: [: missing ]\n')
    return 2
  }
  return evaluateTest(call, args) ? 0 : 1
}

function evaluateTest(call: Call, args: readonly string[]): boolean {
  const [first = '', second, third] = args
  if (first === '!' && args.length > 1) return !evaluateTest(call, args.slice(1))
  if (args.length <= 1) return first !== ''
  if (args.length === 2) return testUnary(call, first, second ?? '')
  return testBinary(first, second ?? '', third ?? '')
}

function testUnary(call: Call, flag: string, value: string): boolean {
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

function testBinary(left: string, operator: string, right: string): boolean {
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
  print(call, `${resolvePath(splitFlags(call.args).names[0] ?? '/')}\n`)
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
