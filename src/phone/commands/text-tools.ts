import { complain, print, type Call, type Program } from '../shell/command.ts'

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

/** The shell's own echo reads backslashes, as mksh does. */
function echo(call: Call): number {
  let words = call.args
  let newline = true
  let raw = false
  while (words[0] !== undefined && /^-[neE]+$/.test(words[0])) {
    if (words[0].includes('n')) newline = false
    if (words[0].includes('E')) raw = true
    words = words.slice(1)
  }
  const text = words.join(' ')
  print(call, `${raw ? text : unescape(text)}${newline ? '\n' : ''}`)
  return 0
}

/** Uses the format again for what is left over, as every printf does. */
function printf(call: Call): number {
  const [format = '', ...args] = call.args
  let left = args
  do {
    const before = left.length
    print(
      call,
      formatOnce(
        format,
        () => left[0] ?? '',
        () => (left = left.slice(1)),
      ),
    )
    if (left.length === before) break
  } while (left.length > 0)
  return 0
}

function formatOnce(format: string, peek: () => string, drop: () => void): string {
  return unescape(format).replaceAll(/%(-?\d*)([sdxc%])/g, (_all, width: string, kind: string) => {
    if (kind === '%') return '%'
    const word = peek()
    drop()
    const shown = {
      s: word,
      c: word.slice(0, 1),
      d: `${Number(word) || 0}`,
      x: (Number(word) || 0).toString(16),
    }
    const text = shown[kind as keyof typeof shown]
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
      const reason = call.device.files.isFolder(name)
        ? 'Is a directory'
        : 'No such file or directory'
      complain(call, `cat: ${name}: ${reason}\n`)
      code = 1
    } else if (data.length > 0) {
      call.stdout(data)
    }
  }
  return code
}

/** Text of the named files, or of standard input when none is named. */
async function inputText(call: Call, names: readonly string[]): Promise<string | undefined> {
  if (names.length === 0) return (await call.stdin.all()).toString('utf8')
  const parts: Buffer[] = []
  for (const name of names) {
    const data = call.device.files.read(name)
    if (data === undefined) {
      complain(call, `${call.name}: ${name}: No such file or directory\n`)
      return undefined
    }
    parts.push(data)
  }
  return Buffer.concat(parts).toString('utf8')
}

function linesOf(text: string): string[] {
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines
}

async function grep(call: Call): Promise<number> {
  const flags = new Set<string>()
  const words: string[] = []
  for (const arg of call.args) {
    if (/^-[A-Za-z]+$/.test(arg)) for (const flag of arg.slice(1)) flags.add(flag)
    else words.push(arg)
  }
  const [pattern = '', ...names] = words
  const text = await inputText(call, names)
  if (text === undefined) return 2
  const source = flags.has('F')
    ? pattern.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)
    : flags.has('E')
      ? pattern
      : basicPattern(pattern)
  const test = compilePattern(call, source, flags.has('i'))
  if (test === undefined) return 2
  const hits = linesOf(text).filter((line) => test.test(line) !== flags.has('v'))
  if (flags.has('c')) print(call, `${hits.length}\n`)
  else if (!flags.has('q'))
    print(call, hits.map((line) => `${shownPart(line, test, flags)}\n`).join(''))
  return hits.length > 0 ? 0 : 1
}

/** Without -E the signs + ? | ( ) { } mean themselves unless escaped. */
function basicPattern(pattern: string): string {
  return pattern.replaceAll(/\\?[+?|(){}]/g, (mark) =>
    mark.startsWith('\\') ? mark.slice(1) : `\\${mark}`,
  )
}

function compilePattern(call: Call, source: string, ignoreCase: boolean): RegExp | undefined {
  try {
    return new RegExp(source, ignoreCase ? 'i' : '')
  } catch {
    complain(call, `grep: bad REGEX: ${source}\n`)
    return undefined
  }
}

function shownPart(line: string, test: RegExp, flags: ReadonlySet<string>): string {
  return flags.has('o') ? (test.exec(line)?.[0] ?? '') : line
}

async function cutLines(
  call: Call,
  keep: (lines: string[], count: number) => string[],
): Promise<number> {
  const joined = call.args.join(' ')
  const count = Number(/-n? ?(\d+)/.exec(joined)?.[1] ?? 10)
  const names = call.args.filter((arg) => !arg.startsWith('-') && !/^\d+$/.test(arg))
  const text = await inputText(call, names)
  if (text === undefined) return 1
  print(
    call,
    keep(linesOf(text), count)
      .map((line) => `${line}\n`)
      .join(''),
  )
  return 0
}

async function wc(call: Call): Promise<number> {
  const names = call.args.filter((arg) => !arg.startsWith('-'))
  const text = await inputText(call, names)
  if (text === undefined) return 1
  const counts = [
    ['l', text.split('\n').length - 1],
    ['w', text.split(/\s+/).filter((word) => word !== '').length],
    ['c', Buffer.byteLength(text)],
  ] as const
  const asked = call.args.filter((arg) => arg.startsWith('-')).join('')
  const shown = counts.filter(([flag]) => asked === '' || asked.includes(flag))
  print(call, `${[...shown.map(([, count]) => count), ...names].join(' ')}\n`)
  return 0
}

export const textTools: Readonly<Record<string, Program>> = {
  echo,
  printf,
  cat,
  grep,
  wc,
  head: (call) => cutLines(call, (lines, count) => lines.slice(0, count)),
  tail: (call) => cutLines(call, (lines, count) => (count === 0 ? [] : lines.slice(-count))),
}
