import { printError, print, type Call } from '../../shell/command.ts'
import { compileRegex, type Regex } from '../../shell/regex.ts'
import { parseProgramOptions } from './options.ts'
import { readFile, splitLines } from './text-input.ts'

interface Search {
  readonly patterns: readonly Regex[]
  readonly flags: ReadonlyMap<string, string>
  /** Names of files are printed before their lines. */
  readonly withNames: boolean
  readonly limit: number
  readonly before: number
  readonly after: number
}

/** `grep [-EFivnclqorwxhHsm] [-A N] [-B N] [-C N] [-e] PATTERN FILE...`. Input without end is searched as it comes. */
export async function grep(call: Call): Promise<number> {
  const { flags, operands } = parseProgramOptions(call.args, ['e', 'f', 'm', 'A', 'B', 'C'])
  const [first = '', ...others] = operands
  const source = flags.get('e') ?? first
  const names = flags.has('e') ? operands : others
  const syntax =
    flags.has('F') || call.name === 'fgrep' ? 'fixed' : flags.has('E') || call.name === 'egrep' ? 'extended' : 'basic'
  const whole = flags.has('x') ? 'line' : flags.has('w') ? 'word' : undefined
  const patterns = source.split('\n').map((one) => compileRegex(one, { syntax, ignoreCase: flags.has('i'), whole }))
  if (!patterns.every((pattern) => pattern !== undefined)) {
    printError(call, `grep: bad REGEX: ${source}\n`)
    return 2
  }
  const files = flags.has('r') || flags.has('R') ? listDeep(call, names.length === 0 ? ['.'] : names) : names
  const context = flags.get('C')
  return searchFiles(call, files, {
    patterns,
    flags,
    withNames: flags.has('H') || (!flags.has('h') && (files.length > 1 || flags.has('r') || flags.has('R'))),
    limit: flags.has('m') ? Number(flags.get('m')) : Number.POSITIVE_INFINITY,
    before: Number(flags.get('B') ?? context ?? 0),
    after: Number(flags.get('A') ?? context ?? 0),
  })
}

function listDeep(call: Call, paths: readonly string[]): readonly string[] {
  return paths.flatMap((path) => {
    if (!call.files.isFolder(path)) return [path]
    return listDeep(
      call,
      call.files.list(path).map(({ name }) => `${path.replace(/(?<!\/)\/+$/, '')}/${name}`),
    )
  })
}

async function searchFiles(call: Call, files: readonly string[], search: Search): Promise<number> {
  let [found, failed] = [0, false]
  if (files.length === 0)
    return (await searchLines(call, '(standard input)', { lines: readStdin(call), search })) > 0 ? 0 : 1
  for (const name of files) {
    const silent = search.flags.has('s') ? { ...call, stderr: () => undefined } : call
    const data = await readFile(silent, name)
    if (data === undefined) failed = true
    else found += await searchLines(call, name, { lines: splitLines(data.toString('utf8')), search })
    if (found > 0 && search.flags.has('q')) return 0
  }
  return found > 0 ? 0 : failed ? 2 : 1
}

async function* readStdin(call: Call): AsyncGenerator<string> {
  for (let line = await call.stdin.line(); line !== undefined; line = await call.stdin.line()) yield line
}

interface Lines {
  readonly lines: Iterable<string> | AsyncIterable<string>
  readonly search: Search
}

/** Prints the matching lines of one file. Returns their number. */
async function searchLines(call: Call, name: string, { lines, search }: Lines): Promise<number> {
  const { flags, withNames, limit } = search
  const isQuiet = flags.has('q') || flags.has('c') || flags.has('l') || flags.has('L')
  const earlier: string[] = []
  let [count, number, after] = [0, 0, 0]
  const show = (line: string, mark: string, at: number): void => {
    const prefix = `${withNames ? `${name}${mark}` : ''}${flags.has('n') ? `${at}${mark}` : ''}`
    print(call, `${prefix}${line}\n`)
  }
  for await (const line of lines) {
    number += 1
    const isHit = search.patterns.some((pattern) => pattern.find(line) !== undefined) !== flags.has('v')
    if (isHit) {
      count += 1
      for (const [index, text] of earlier.splice(0).entries())
        if (!isQuiet) show(text, '-', number - search.before + index)
      if (!isQuiet) for (const text of flags.has('o') ? findAll(line, search.patterns) : [line]) show(text, ':', number)
      after = search.after
      if (count >= limit || flags.has('q') || flags.has('l')) break
    } else if (after > 0) {
      after -= 1
      if (!isQuiet) show(line, '-', number)
    } else if (search.before > 0) {
      earlier.push(line)
      if (earlier.length > search.before) earlier.shift()
    }
  }
  if (flags.has('c')) print(call, `${withNames ? `${name}:` : ''}${count}\n`)
  if (flags.has('l') ? count > 0 : flags.has('L') && count === 0) print(call, `${name}\n`)
  return count
}

/** All matches in a line, for `-o`. */
function findAll(line: string, patterns: readonly Regex[]): string[] {
  const found: string[] = []
  let at = 0
  while (at <= line.length) {
    const matches = patterns.flatMap((pattern) => pattern.find(line, at) ?? [])
    const [next] = matches.toSorted((a, b) => a.start - b.start)
    if (next === undefined) break
    if (next.end > next.start) found.push(next.groups[0] ?? '')
    at = Math.max(next.end, next.start + 1)
  }
  return found
}
