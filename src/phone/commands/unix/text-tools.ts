import { FileError } from '../../host/file-tree.ts'
import { printError, print, type Call, type Program } from '../../shell/command.ts'
import { parseProgramOptions } from './options.ts'
import { readFile } from './text-input.ts'

const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  a: '\u0007',
  b: '\b',
  e: '\u001B',
  f: '\f',
  v: '\v',
  '\\': '\\',
}

function unescape(text: string): string {
  if (!text.includes('\\')) return text
  return text.replaceAll(
    /\\(?:([ntrabefv\\])|x([0-9a-fA-F]{1,2})|0?([0-7]{1,3}))/g,
    (all, mark: string | undefined, hex: string | undefined, octal: string | undefined) => {
      if (mark !== undefined) return ESCAPES[mark] ?? all
      return String.fromCodePoint(
        hex === undefined ? Number.parseInt(octal ?? '0', 8) & 0xff : Number.parseInt(hex, 16),
      )
    },
  )
}

/** `echo` interprets backslash escapes, as in mksh. */
function echo(call: Call): number {
  let { args } = call
  let newline = true
  let raw = false
  while (args[0] !== undefined && /^-[neE]+$/.test(args[0])) {
    if (args[0].includes('n')) newline = false
    if (args[0].includes('E')) raw = true
    args = args.slice(1)
  }
  const text = args.join(' ')
  print(call, `${raw ? text : unescape(text)}${newline ? '\n' : ''}`)
  return 0
}

/** Repeats the format while arguments remain. */
function printf(call: Call): number {
  const [format = '', ...args] = call.args
  const pending = [...args]
  do {
    const before = pending.length
    print(call, formatOnce(format, pending))
    if (pending.length === before) break
  } while (pending.length > 0)
  return 0
}

function formatOnce(format: string, pending: string[]): string {
  return unescape(format).replaceAll(
    /%([-0+ ]*)(\d{0,4})(?:\.(\d{1,4}))?([sdiuxXocbq%])/g,
    (_all, ...[flags = '', width = '', precision, kind = '']: readonly (string | undefined)[]) => {
      if (kind === '%') return '%'
      const text = formatField(kind, pending.shift() ?? '', precision)
      const isLeft = flags.includes('-')
      const fill = flags.includes('0') && !isLeft && kind !== 's' ? '0' : ' '
      return isLeft ? text.padEnd(Number(width)) : text.padStart(Number(width), fill)
    },
  )
}

function formatField(kind: string, arg: string, precision: string | undefined): string {
  const number = Math.trunc(Number(arg)) || 0
  switch (kind) {
    case 's':
      return precision === undefined ? arg : arg.slice(0, Number(precision))
    case 'b':
      return unescape(arg)
    case 'q':
      return `'${arg.replaceAll("'", String.raw`'\''`)}'`
    case 'c':
      return arg.slice(0, 1)
    case 'x':
      return number.toString(16)
    case 'X':
      return number.toString(16).toUpperCase()
    case 'o':
      return number.toString(8)
    default:
      return String(number)
  }
}

/** Without a file it passes its input on as it comes. */
async function cat(call: Call): Promise<number> {
  const { flags, operands } = parseProgramOptions(call.args.filter((arg) => arg !== '-'))
  const names = call.args.includes('-') ? call.args.filter((arg) => arg === '-' || operands.includes(arg)) : operands
  let code = 0
  let number = 0
  for (const name of names.length === 0 ? ['-'] : names) {
    if (name === '-' && !flags.has('n')) {
      for (let chunk = await call.stdin.chunk(); chunk !== undefined; chunk = await call.stdin.chunk())
        call.stdout(chunk)
      continue
    }
    const data = await readFile(call, name)
    if (data === undefined) code = 1
    else if (flags.has('n'))
      print(
        call,
        data.toString('utf8').replaceAll(/[^\n]+\n?|\n/g, (line) => `${String((number += 1)).padStart(6)}\t${line}`),
      )
    else if (data.length > 0) call.stdout(data)
  }
  return code
}

/** `tee [-a] FILE...` */
async function tee(call: Call): Promise<number> {
  const { flags, operands } = parseProgramOptions(call.args)
  let code = 0
  const open: string[] = []
  for (const name of operands) {
    try {
      if (!flags.has('a')) call.files.save(name, Buffer.alloc(0))
      open.push(name)
    } catch (error) {
      if (!(error instanceof FileError)) throw error
      printError(call, `tee: ${name}: ${error.message}\n`)
      code = 1
    }
  }
  for (let chunk = await call.stdin.chunk(); chunk !== undefined; chunk = await call.stdin.chunk()) {
    call.stdout(chunk)
    for (const name of open) call.files.append(name, chunk)
  }
  return code
}

/** The longest list of numbers that `seq` prints. */
const MAX_NUMBERS = 1_000_000

function seq(call: Call): number {
  const numbers = call.args.filter((arg) => /^[-+]?\d+(?:\.\d+)?$/.test(arg)).map(Number)
  if (numbers.length === 0) {
    printError(call, 'seq: Needs 1 argument\n')
    return 1
  }
  const first = numbers.length > 1 ? (numbers[0] ?? 1) : 1
  const step = numbers.length > 2 ? (numbers[1] ?? 1) : 1
  const last = numbers.at(-1) ?? 1
  const count = step === 0 ? 0 : Math.min(MAX_NUMBERS, Math.floor((last - first) / step) + 1)
  const lines = Array.from({ length: Math.max(0, count) }, (_number, index) => `${first + index * step}\n`)
  print(call, lines.join(''))
  return 0
}

/** Repeats a line until its reader ends. */
async function yes(call: Call): Promise<number> {
  const block = Buffer.from(`${call.args.join(' ') || 'y'}\n`.repeat(512))
  while (!call.signal.aborted) {
    call.stdout(block)
    await new Promise((resolve) => {
      setImmediate(resolve)
    })
    await call.drained()
  }
  return 141
}

export const textTools: Readonly<Record<string, Program>> = { echo, print: echo, printf, cat, tee, seq, yes }
