import { printError, print, type Call, type Program } from '../../shell/command.ts'
import { parseProgramOptions } from './options.ts'
import { readFile, readInput, readLines, splitLines } from './text-input.ts'

/** A count as `-5` is `-n 5`. */
function withCount(args: readonly string[]): readonly string[] {
  return args.map((arg) => arg.replace(/^-(\d+)$/, '-n$1'))
}

/** `head [-n LINES] [-c BYTES]`. Stops reading when it has enough. */
async function head(call: Call): Promise<number> {
  const { flags, operands } = parseProgramOptions(withCount(call.args), ['n', 'c'])
  const bytes = flags.get('c')
  if (bytes !== undefined) return headBytes(call, operands, Number(bytes))
  const count = Number(flags.get('n') ?? 10)
  let code = 0
  for (const name of operands.length === 0 ? ['-'] : operands) {
    if (operands.length > 1) print(call, `==> ${name} <==\n`)
    if (name === '-') {
      for (let line = 0; line < count; line += 1) {
        const text = await call.stdin.line()
        if (text === undefined) break
        print(call, `${text}\n`)
      }
      continue
    }
    const data = await readFile(call, name)
    if (data === undefined) code = 1
    else
      print(
        call,
        splitLines(data.toString('utf8'))
          .slice(0, count)
          .map((line) => `${line}\n`)
          .join(''),
      )
  }
  return code
}

async function headBytes(call: Call, names: readonly string[], count: number): Promise<number> {
  if (names.length > 0) {
    const data = await readInput(call, names)
    if (data !== undefined) call.stdout(data.subarray(0, count))
    return data === undefined ? 1 : 0
  }
  let missing = count
  while (missing > 0) {
    const chunk = await call.stdin.chunk()
    if (chunk === undefined) break
    call.stdout(chunk.subarray(0, missing))
    missing -= chunk.length
  }
  return 0
}

/** `tail [-n LINES] [-c BYTES]`. `+N` begins at line or byte N. */
async function tail(call: Call): Promise<number> {
  const { flags, operands } = parseProgramOptions(withCount(call.args), ['n', 'c'])
  const data = await readInput(call, operands)
  if (data === undefined) return 1
  const bytes = flags.get('c')
  if (bytes !== undefined) {
    call.stdout(data.subarray(bytes.startsWith('+') ? Number(bytes) - 1 : Math.max(0, data.length - Number(bytes))))
    return 0
  }
  const count = flags.get('n') ?? '10'
  const lines = splitLines(data.toString('utf8'))
  const start = count.startsWith('+') ? Number(count) - 1 : Math.max(0, lines.length - Number(count))
  print(
    call,
    lines
      .slice(Math.max(0, start))
      .map((line) => `${line}\n`)
      .join(''),
  )
  return 0
}

async function wc(call: Call): Promise<number> {
  const { flags, operands } = parseProgramOptions(call.args)
  let code = 0
  const rows: { readonly counts: readonly number[]; readonly name: string }[] = []
  for (const name of operands.length === 0 ? ['-'] : operands) {
    const data = await readFile(call, name)
    if (data === undefined) code = 1
    else rows.push({ counts: countText(data, flags), name: operands.length === 0 ? '' : name })
  }
  if (rows.length > 1) {
    const sums = (rows[0]?.counts ?? []).map((_count, at) => rows.reduce((sum, row) => sum + (row.counts[at] ?? 0), 0))
    rows.push({ counts: sums, name: 'total' })
  }
  print(call, rows.map(({ counts, name }) => `${[...counts, name].filter((one) => one !== '').join(' ')}\n`).join(''))
  return code
}

function countText(data: Buffer, flags: ReadonlyMap<string, string>): readonly number[] {
  const text = data.toString('utf8')
  const counts = [
    ['l', text.split('\n').length - 1],
    ['w', text.split(/\s+/).filter((word) => word !== '').length],
    ['c', data.length],
    ['m', Array.from(text).length],
  ] as const
  const isChosen = (flag: string): boolean => (flags.size === 0 ? flag !== 'm' : flags.has(flag))
  return counts.filter(([flag]) => isChosen(flag)).map(([, count]) => count)
}

async function sort(call: Call): Promise<number> {
  const { flags, operands } = parseProgramOptions(call.args, ['k', 't', 'o'])
  const data = await readInput(call, operands)
  if (data === undefined) return 1
  const column = Number.parseInt(flags.get('k') ?? '', 10)
  const separator = flags.get('t')
  const key = (line: string): string => {
    if (Number.isNaN(column)) return line
    const fields = separator === undefined ? line.trim().split(/\s+/) : line.split(separator)
    return fields.slice(column - 1).join(separator ?? ' ')
  }
  const compare = (a: string, b: string): number => {
    const [left, right] = [key(a), key(b)]
    const byNumber = (Number.parseFloat(left) || 0) - (Number.parseFloat(right) || 0)
    if (flags.has('n') && byNumber !== 0) return byNumber
    return left < right ? -1 : left > right ? 1 : 0
  }
  const sorted = splitLines(data.toString('utf8')).toSorted(compare)
  if (flags.has('r')) sorted.reverse()
  const lines = flags.has('u') ? sorted.filter((line, at) => line !== sorted[at - 1]) : sorted
  print(call, lines.map((line) => `${line}\n`).join(''))
  return 0
}

async function uniq(call: Call): Promise<number> {
  const { flags, operands } = parseProgramOptions(call.args)
  const data = await readInput(call, operands.slice(0, 1))
  if (data === undefined) return 1
  const groups: { readonly line: string; count: number }[] = []
  for (const line of splitLines(data.toString('utf8'))) {
    const last = groups.at(-1)
    if (last?.line === line) last.count += 1
    else groups.push({ line, count: 1 })
  }
  const shown = groups.filter(({ count }) => !(flags.has('d') && count === 1) && !(flags.has('u') && count > 1))
  print(
    call,
    shown.map(({ line, count }) => `${flags.has('c') ? `${String(count).padStart(7)} ` : ''}${line}\n`).join(''),
  )
  return 0
}

/** `cut -d X -f LIST`, `cut -c LIST`. */
async function cut(call: Call): Promise<number> {
  const { flags, operands } = parseProgramOptions(call.args, ['d', 'f', 'c', 'b'])
  const list = flags.get('f') ?? flags.get('c') ?? flags.get('b')
  if (list === undefined || !/^[\d,-]+$/.test(list)) {
    printError(call, 'cut: no -bcCfF\n')
    return 1
  }
  const ranges = list.split(',').map((range) => {
    const [from = '', to] = range.split('-')
    return [Number(from || 1), to === undefined ? Number(from) : Number(to || Number.MAX_SAFE_INTEGER)] as const
  })
  const isChosen = (_part: string, at: number): boolean => ranges.some(([from, to]) => at + 1 >= from && at + 1 <= to)
  const separator = flags.get('d') ?? '\t'
  for await (const line of readLines(call, operands)) {
    const byField = flags.has('f')
    if (byField && !line.includes(separator)) {
      if (!flags.has('s')) print(call, `${line}\n`)
      continue
    }
    const parts = byField ? line.split(separator) : Array.from(line)
    print(call, `${parts.filter(isChosen).join(byField ? separator : '')}\n`)
  }
  return 0
}

/** `tr [-ds] SET [SET]`. */
async function tr(call: Call): Promise<number> {
  const { flags, operands } = parseProgramOptions(call.args)
  const [first = '', second = ''] = operands.map(expandSet)
  const from = Array.from(first)
  const to = Array.from(second)
  const text = Array.from((await call.stdin.all()).toString('utf8'))
  const isListed = (char: string): boolean => from.includes(char) !== (flags.has('c') || flags.has('C'))
  const mapped = flags.has('d')
    ? text.filter((char) => !isListed(char))
    : text.map((char) => (isListed(char) && to.length > 0 ? (to[from.indexOf(char)] ?? to.at(-1) ?? char) : char))
  const squeezed = new Set(to.length > 0 ? to : from)
  const shown = flags.has('s') ? mapped.filter((char, at) => char !== mapped[at - 1] || !squeezed.has(char)) : mapped
  print(call, shown.join(''))
  return 0
}

const SETS: Readonly<Record<string, string>> = {
  upper: 'A-Z',
  lower: 'a-z',
  digit: '0-9',
  alpha: 'A-Za-z',
  alnum: 'A-Za-z0-9',
  space: ' \t\n\r\f\v',
}

function expandSet(set: string): string {
  const plain = set
    .replaceAll(/\[:(\w+):\]/g, (all, name: string) => SETS[name] ?? all)
    .replaceAll(/\\([nrt\\])/g, (_all, mark: string) => ({ n: '\n', r: '\r', t: '\t' })[mark] ?? mark)
  return plain.replaceAll(/([^])-([^])/gu, (all, from: string, to: string) => {
    const [start, end] = [from.codePointAt(0) ?? 0, to.codePointAt(0) ?? 0]
    if (end < start || end - start > 255) return all
    return Array.from({ length: end - start + 1 }, (_char, at) => String.fromCodePoint(start + at)).join('')
  })
}

async function tac(call: Call): Promise<number> {
  const data = await readInput(call, call.args)
  if (data === undefined) return 1
  print(
    call,
    splitLines(data.toString('utf8'))
      .toReversed()
      .map((line) => `${line}\n`)
      .join(''),
  )
  return 0
}

export const lineTools: Readonly<Record<string, Program>> = { head, tail, wc, sort, uniq, cut, tr, tac }
