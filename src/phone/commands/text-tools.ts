import { printError, print, type Call, type Program } from '../shell/command.ts'

const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  a: '\u0007',
  b: '\b',
  e: '\u001B',
  '0': '\0',
  '\\': '\\',
}

function unescape(text: string): string {
  if (!text.includes('\\')) return text
  return text.replaceAll(/\\([ntrabe0\\])/g, (_all, mark: string) => ESCAPES[mark] ?? mark)
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
  let remaining = args
  do {
    const before = remaining.length
    print(
      call,
      formatOnce(
        format,
        () => remaining[0] ?? '',
        () => (remaining = remaining.slice(1)),
      ),
    )
    if (remaining.length === before) break
  } while (remaining.length > 0)
  return 0
}

function formatOnce(format: string, peek: () => string, drop: () => void): string {
  return unescape(format).replaceAll(/%(-?\d*)([sdxc%])/g, (_all, width: string, kind: string) => {
    if (kind === '%') return '%'
    const arg = peek()
    drop()
    const formats = {
      s: arg,
      c: arg.slice(0, 1),
      d: `${Number(arg) || 0}`,
      x: (Number(arg) || 0).toString(16),
    }
    const text = formats[kind as keyof typeof formats]
    const size = Math.abs(Number(width))
    return width.startsWith('-') ? text.padEnd(size) : text.padStart(size)
  })
}

async function cat(call: Call): Promise<number> {
  const names = call.args.filter((arg) => arg !== '--')
  if (names.length === 0) names.push('-')
  let code = 0
  for (const name of names) {
    const data = name === '-' ? await call.stdin.all() : call.device.files.read(name)
    if (data === undefined) {
      const reason = call.device.files.isFolder(name) ? 'Is a directory' : 'No such file or directory'
      printError(call, `cat: ${name}: ${reason}\n`)
      code = 1
    } else if (data.length > 0) {
      call.stdout(data)
    }
  }
  return code
}

/** Reads the named files, or standard input when no file is named. */
async function readInput(call: Call, names: readonly string[]): Promise<string | undefined> {
  if (names.length === 0) return (await call.stdin.all()).toString('utf8')
  const parts: Buffer[] = []
  for (const name of names) {
    const data = call.device.files.read(name)
    if (data === undefined) {
      printError(call, `${call.name}: ${name}: No such file or directory\n`)
      return undefined
    }
    parts.push(data)
  }
  return Buffer.concat(parts).toString('utf8')
}

function splitLines(text: string): string[] {
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines
}

async function grep(call: Call): Promise<number> {
  const flags = new Set<string>()
  const operands: string[] = []
  for (const arg of call.args) {
    if (/^-[A-Za-z]+$/.test(arg)) for (const flag of arg.slice(1)) flags.add(flag)
    else operands.push(arg)
  }
  const [pattern = '', ...names] = operands
  const text = await readInput(call, names)
  if (text === undefined) return 2
  const source = flags.has('F')
    ? pattern.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)
    : flags.has('E')
      ? pattern
      : basicPattern(pattern)
  const test = compilePattern(call, source, flags.has('i'))
  if (test === undefined) return 2
  const hits = splitLines(text).filter((line) => test.test(line) !== flags.has('v'))
  if (flags.has('c')) print(call, `${hits.length}\n`)
  else if (!flags.has('q')) print(call, hits.map((line) => `${formatMatch(line, test, flags)}\n`).join(''))
  return hits.length > 0 ? 0 : 1
}

/** Converts a basic regular expression: without -E, + ? | ( ) { } are literal unless escaped. */
function basicPattern(pattern: string): string {
  return pattern.replaceAll(/\\?[+?|(){}]/g, (mark) => (mark.startsWith('\\') ? mark.slice(1) : `\\${mark}`))
}

function compilePattern(call: Call, source: string, ignoreCase: boolean): RegExp | undefined {
  try {
    return new RegExp(source, ignoreCase ? 'i' : '')
  } catch {
    printError(call, `grep: bad REGEX: ${source}\n`)
    return undefined
  }
}

function formatMatch(line: string, test: RegExp, flags: ReadonlySet<string>): string {
  return flags.has('o') ? (test.exec(line)?.[0] ?? '') : line
}

async function printLines(call: Call, select: (lines: string[], count: number) => string[]): Promise<number> {
  const joined = call.args.join(' ')
  const count = Number(/-n? ?(\d+)/.exec(joined)?.[1] ?? 10)
  const names = call.args.filter((arg) => !arg.startsWith('-') && !/^\d+$/.test(arg))
  const text = await readInput(call, names)
  if (text === undefined) return 1
  print(
    call,
    select(splitLines(text), count)
      .map((line) => `${line}\n`)
      .join(''),
  )
  return 0
}

async function wc(call: Call): Promise<number> {
  const names = call.args.filter((arg) => !arg.startsWith('-'))
  const text = await readInput(call, names)
  if (text === undefined) return 1
  const counts = [
    ['l', text.split('\n').length - 1],
    ['w', text.split(/\s+/).filter((word) => word !== '').length],
    ['c', Buffer.byteLength(text)],
  ] as const
  const selection = call.args.filter((arg) => arg.startsWith('-')).join('')
  const formats = counts.filter(([flag]) => selection === '' || selection.includes(flag))
  print(call, `${[...formats.map(([, count]) => count), ...names].join(' ')}\n`)
  return 0
}

export const textTools: Readonly<Record<string, Program>> = {
  echo,
  printf,
  cat,
  grep,
  wc,
  head: (call) => printLines(call, (lines, count) => lines.slice(0, count)),
  tail: (call) => printLines(call, (lines, count) => (count === 0 ? [] : lines.slice(-count))),
}
