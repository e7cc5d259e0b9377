import { randomBytes } from 'node:crypto'
import { joinPath } from '../../host/file-tree.ts'
import { printError, print, type Call, type Program } from '../../shell/command.ts'
import { BadNumberError, isUnary, testFile, testStrings } from '../../shell/test-operators.ts'
import { attempt, forEachName, requireOperands } from './each-name.ts'
import { parseProgramOptions } from './options.ts'

const MISSING = 'No such file or directory'

function rm(call: Call): number {
  const { flags, operands } = parseProgramOptions(call.args)
  const force = flags.has('f')
  if (!force && !requireOperands(call, operands, 1)) return 1
  return forEachName(call, operands, (name) => {
    if (call.files.stat(name) === undefined) return force ? undefined : MISSING
    if (call.files.isFolder(name) && !flags.has('r') && !flags.has('R')) return 'is directory'
    call.files.remove(name)
    return undefined
  })
}

function rmdir(call: Call): number {
  return forEachName(call, parseProgramOptions(call.args).operands, (name) => {
    if (call.files.stat(name) === undefined) return MISSING
    if (!call.files.isFolder(name)) return 'Not a directory'
    if (call.files.list(name).length > 0) return 'Directory not empty'
    call.files.remove(name)
    return undefined
  })
}

function mkdir(call: Call): number {
  const { flags, operands } = parseProgramOptions(call.args, ['m'])
  if (!requireOperands(call, operands, 1)) return 1
  return forEachName({ ...call, quoted: true }, operands, (name) => {
    call.files.makeFolder(name, flags.has('p'))
    const mode = flags.get('m')
    if (mode !== undefined) call.files.change(name, { mode: Number.parseInt(mode, 8) })
    return undefined
  })
}

function touch(call: Call): number {
  const { flags, operands } = parseProgramOptions(call.args, ['d', 't', 'r'])
  const mtime = Math.floor(call.device.clock.now() / 1000)
  return forEachName(call, operands, (name) => {
    if (call.files.stat(name) !== undefined) call.files.change(name, { mtime })
    else if (!flags.has('c')) call.files.save(name, Buffer.alloc(0))
    return undefined
  })
}

/** Where `mv` and `cp` put a file: into a folder, or in place of the target. */
function toTarget(call: Call, name: string, target: string): string {
  return call.files.isFolder(target) ? `${target}/${baseName(name)}` : target
}

function baseName(path: string): string {
  return (
    path
      .replace(/(?<!\/)\/+$/, '')
      .split('/')
      .at(-1) || '/'
  )
}

function mv(call: Call): number {
  return transfer(call, (name, target) => call.files.move(name, target))
}

function cp(call: Call): number {
  const { flags } = parseProgramOptions(call.args)
  const deep = flags.has('r') || flags.has('R') || flags.has('a')
  return transfer(call, (name, target) => {
    if (!call.files.isFolder(name)) return copyFile(call, name, target)
    return deep ? copyFolder(call, name, target) : 'Is a directory'
  })
}

function copyFile(call: Call, name: string, target: string): void {
  call.files.save(target, call.files.read(name) ?? Buffer.alloc(0))
}

function copyFolder(call: Call, name: string, target: string): void {
  const { files } = call
  const from = joinPath(call.folder, name)
  const to = joinPath(call.folder, target)
  // A folder that is copied into itself is listed before it grows.
  const entries = files.list(from)
  files.makeFolder(to, true)
  for (const entry of entries) {
    const path = `${from}/${entry.name}`
    if (path === to) continue
    if (files.isFolder(path)) copyFolder(call, path, `${to}/${entry.name}`)
    else copyFile(call, path, `${to}/${entry.name}`)
  }
}

function transfer(call: Call, move: (name: string, target: string) => string | void): number {
  const { flags, operands } = parseProgramOptions(call.args, ['t'])
  const into = flags.get('t')
  if (!requireOperands(call, operands, into === undefined ? 2 : 1)) return 1
  const target = into ?? operands.at(-1) ?? ''
  const names = into === undefined ? operands.slice(0, -1) : operands
  if (names.length > 1 && !call.files.isFolder(target)) {
    printError(call, `${call.name}: '${target}' not directory\n`)
    return 1
  }
  let code = 0
  for (const name of names) {
    const isMissing = call.files.stat(name) === undefined
    const place = toTarget(call, name, target)
    if (flags.has('n') && call.files.stat(place) !== undefined) continue
    const problem = isMissing ? MISSING : attempt(() => move(name, place) ?? undefined)
    if (problem === undefined) continue
    printError(call, `${call.name}: bad '${isMissing ? name : place}': ${problem}\n`)
    code = 1
  }
  return code
}

function chmod(call: Call): number {
  const isRecursive = /^-[a-zA-Z]*R/.test(call.args[0] ?? '')
  const [mode = '', ...names] = isRecursive ? call.args.slice(1) : call.args
  if (!requireOperands(call, names, 1)) return 1
  if (!MODE.test(mode)) {
    printError(call, `chmod: bad mode '${mode}'\n`)
    return 1
  }
  const change = (name: string): void => {
    const before = call.files.stat(name)?.mode ?? 0
    call.files.change(name, { mode: changeMode(before, mode) })
    if (isRecursive && call.files.isFolder(name))
      for (const entry of call.files.list(name)) change(`${name}/${entry.name}`)
  }
  return forEachName(call, names, (name) => {
    change(name)
    return undefined
  })
}

const MODE = /^(?:[0-7]{1,4}|[ugoa]*[-+=][rwxXst]*(?:,[ugoa]*[-+=][rwxXst]*)*)$/
const SHIFTS = { u: 6, g: 3, o: 0 } as const
const BITS: Readonly<Record<string, number>> = { r: 4, w: 2, x: 1, X: 1 }

function changeMode(before: number, mode: string): number {
  if (/^\d/.test(mode)) return Number.parseInt(mode, 8)
  let result = before & 0o7777
  for (const part of mode.split(',')) {
    const [, who = '', operator, letters = ''] = /^([ugoa]*)([-+=])([rwxXst]*)$/.exec(part) ?? []
    const bits = Array.from(letters).reduce((sum, letter) => sum | (BITS[letter] ?? 0), 0)
    for (const one of ['u', 'g', 'o'] as const) {
      if (who !== '' && !who.includes(one) && !who.includes('a')) continue
      const shifted = bits << SHIFTS[one]
      if (operator === '=') result = (result & ~(7 << SHIFTS[one])) | shifted
      else result = operator === '+' ? result | shifted : result & ~shifted
    }
  }
  return result
}

/** The shell user owns its files and cannot give them away. */
function chown(call: Call): number {
  const { operands } = parseProgramOptions(call.args)
  const [owner = '', ...names] = operands
  return forEachName(call, names, (name) => {
    if (call.files.stat(name) === undefined) return MISSING
    return /^(?:shell|2000)?(?::(?:shell|2000))?$/.test(owner) ? undefined : 'Operation not permitted'
  })
}

/** `test` and `[`: files, strings and integers, with `!`, `-a`, `-o`. */
function test(call: Call): number {
  const args = [...call.args]
  if (call.name === '[' && args.pop() !== ']') {
    printError(call, '/system/bin/sh: [: missing ]\n')
    return 2
  }
  try {
    return evaluateTest(call, args) ? 0 : 1
  } catch (error) {
    if (!(error instanceof BadNumberError)) throw error
    printError(call, `/system/bin/sh: ${call.name}: ${error.message}\n`)
    return 2
  }
}

function evaluateTest(call: Call, args: readonly string[]): boolean {
  const either = args.indexOf('-o', 1)
  if (either > 0 && args.length > 3) {
    return evaluateTest(call, args.slice(0, either)) || evaluateTest(call, args.slice(either + 1))
  }
  const both = args.indexOf('-a', 1)
  if (both > 0 && args.length > 3) {
    return evaluateTest(call, args.slice(0, both)) && evaluateTest(call, args.slice(both + 1))
  }
  let negated = false
  let rest = args
  while (rest[0] === '!' && rest.length > 1) {
    negated = !negated
    rest = rest.slice(1)
  }
  return evaluateOne(call, rest) !== negated
}

function evaluateOne(call: Call, [first = '', second, third]: readonly string[]): boolean {
  if (second === undefined) return first !== ''
  if (third === undefined) return isUnary(first) && testFile(first, second, call.files)
  return testStrings(first, second, third) ?? false
}

/** Prints the absolute path. `realpath` and `readlink -f` follow the links to the shared storage. */
function readlink(call: Call): number {
  const { flags, operands } = parseProgramOptions(call.args)
  const follows = call.name === 'realpath' || flags.has('f') || flags.has('e')
  if (!follows) return 1
  return forEachName(call, operands, (name) => {
    print(call, `${joinPath(call.folder, name)}\n`)
    return undefined
  })
}

function basename(call: Call): number {
  const { flags, operands } = parseProgramOptions(call.args, ['s'])
  const [path = '', suffix] = operands
  const name = baseName(path)
  const ending = flags.get('s') ?? suffix ?? ''
  print(call, `${ending !== '' && name.endsWith(ending) && name !== ending ? name.slice(0, -ending.length) : name}\n`)
  return 0
}

function dirname(call: Call): number {
  for (const path of call.args) {
    const parent = path
      .replace(/(?<!\/)\/+$/, '')
      .split('/')
      .slice(0, -1)
      .join('/')
    print(call, `${parent === '' ? (path.startsWith('/') ? '/' : '.') : parent}\n`)
  }
  return 0
}

/** Replaces three or more X at the end of a template by random digits. */
function fillTemplate(template: string): string {
  let end = template.length
  while (template[end - 1] === 'X') end -= 1
  const count = template.length - end
  return count < 3 ? template : template.slice(0, end) + randomBytes(count).toString('hex').slice(0, count)
}

function mktemp(call: Call): number {
  const { flags, operands } = parseProgramOptions(call.args, ['p'])
  const template = operands[0] ?? 'tmp.XXXXXXXXXX'
  const folder = flags.get('p') ?? '/data/local/tmp'
  const name = fillTemplate(template)
  const path = name.startsWith('/') ? name : `${folder}/${name}`
  const problem = attempt(() => {
    if (flags.has('d')) call.files.makeFolder(path, false)
    else call.files.save(path, Buffer.alloc(0))
  })
  if (problem !== undefined) {
    printError(call, `mktemp: '${path}': ${problem}\n`)
    return 1
  }
  print(call, `${path}\n`)
  return 0
}

/** The shared storage of Android has no links. */
function ln(call: Call): number {
  printError(
    call,
    `ln: cannot create link from '${call.args.at(-2) ?? ''}' to '${call.args.at(-1) ?? ''}': Permission denied\n`,
  )
  return 1
}

export const fileTools: Readonly<Record<string, Program>> = {
  rm,
  rmdir,
  mkdir,
  touch,
  mv,
  cp,
  chmod,
  chown,
  chgrp: chown,
  ln,
  test,
  '[': test,
  readlink,
  realpath: readlink,
  basename,
  dirname,
  mktemp,
}
