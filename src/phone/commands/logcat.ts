import { aborted } from '../host/clock.ts'
import { FileError } from '../host/file-tree.ts'
import type { LogLevel, LogLine } from '../model/system-log.ts'
import { printError, print, type Call } from '../shell/command.ts'
import { compileRegex, type Regex } from '../shell/regex.ts'
import { encodeLogEntry, formatLogLine, isLogFormat, LOG_LEVELS, type LogForm } from './log-format.ts'
import { parseProgramOptions, type ProgramOptions } from './unix/options.ts'

interface Options {
  readonly form: LogForm
  readonly binary: boolean
  readonly last: number | undefined
  readonly sinceMs: number | undefined
  readonly pid: number | undefined
  readonly pattern: Regex | undefined
  readonly filters: ReadonlyMap<string, string>
  /** False: lines that come later are printed too. */
  readonly ends: boolean
  readonly limit: number
}

const VALUE_OPTIONS = [
  'v',
  't',
  'T',
  'b',
  'e',
  'm',
  'f',
  'r',
  'n',
  'G',
  'P',
  'format',
  'buffer',
  'pid',
  'regex',
  'max-count',
  'file',
]
const HANGUP_CODE = 129

/** `logcat`: prints the stored lines, then new lines until the stream is closed (unless -d or -t). */
export async function logcat(call: Call): Promise<number> {
  const { log, faults } = call.device
  if (faults.consume('logcatDenied')) {
    printError(call, 'logcat: Unable to open log device: Permission denied\n')
    return 1
  }
  const parsed = parseProgramOptions(call.args, VALUE_OPTIONS)
  const { flags } = parsed
  const buffer = (flags.get('b') ?? flags.get('buffer') ?? 'main').split(',').find((name) => !BUFFERS.has(name))
  if (buffer !== undefined) return refuse(call, `Unknown buffer '${buffer}'`)
  if (flags.has('c') || flags.has('clear')) {
    log.clear()
    return 0
  }
  if (flags.has('g') || flags.has('buffer-size')) {
    const line = (name: string) =>
      `${name}: ring buffer is 256 KiB (12 KiB consumed), max entry is 5120 B, max payload is 4068 B\n`
    print(call, ['main', 'system', 'crash'].map(line).join(''))
    return 0
  }
  if (['G', 'p', 'P', 'prune', 'S', 'statistics'].some((flag) => flags.has(flag))) return 0
  const options = parseOptions(call, parsed)
  return typeof options === 'string'
    ? refuse(call, options)
    : printLog(call, options, flags.get('f') ?? flags.get('file'))
}

const BUFFERS = new Set('main system crash events radio kernel all default'.split(' '))

function refuse(call: Call, problem: string): number {
  printError(call, `logcat: ${problem}\n`)
  return 1
}

async function printLog(call: Call, options: Options, file: string | undefined): Promise<number> {
  const { log } = call.device
  const write = (chunk: Buffer): void => (file === undefined ? call.stdout(chunk) : call.files.append(file, chunk))
  const full = new AbortController()
  let count = 0
  const show = (line: LogLine): void => {
    if (count >= options.limit) return
    count += 1
    write(options.binary ? encodeLogEntry(line) : Buffer.from(formatLogLine(line, options.form)))
    if (count >= options.limit) full.abort()
  }
  const stored = log.lines().filter((line) => matchesFilters(line, options))
  if (!options.binary) write(Buffer.from('--------- beginning of main\n'))
  for (const line of options.last === undefined ? stored : stored.slice(Math.max(0, stored.length - options.last)))
    show(line)
  if (options.ends || count >= options.limit) return 0
  const stop = log.follow((line) => {
    if (matchesFilters(line, options)) showLater(call, () => show(line), full)
  })
  await Promise.race([aborted(call.signal), aborted(full.signal)])
  stop()
  return call.signal.aborted ? HANGUP_CODE : 0
}

/** A full disk ends the reader, not the program that wrote to the log. */
function showLater(call: Call, show: () => void, full: AbortController): void {
  try {
    show()
  } catch (error) {
    if (!(error instanceof FileError)) throw error
    printError(call, `logcat: ${error.message}\n`)
    full.abort()
  }
}

/** The options, or why they are invalid. */
function parseOptions(call: Call, { flags, operands }: ProgramOptions): Options | string {
  const names = call.args
    .filter((_arg, at) => /^(?:-v|--format)$/.test(call.args[at - 1] ?? ''))
    .concat(call.args.flatMap((arg) => /^(?:-v|--format=)(.+)$/.exec(arg)?.[1] ?? []))
  const form = parseForm(names.flatMap((name) => name.split(/[, ]/)))
  if (typeof form === 'string') return form
  const count = flags.get('t') ?? flags.get('T')
  const source = flags.get('e') ?? flags.get('regex')
  const pattern = source === undefined ? undefined : compileRegex(source, { syntax: 'extended' })
  if (source !== undefined && pattern === undefined) return `Invalid regex '${source}'`
  const specifications = operands.flatMap((operand) => operand.split(/\s+/)).filter((text) => text !== '')
  const invalid = specifications.find((text) => !/^[^:]+(?::[VDIWEFS*vdiwefs]?)?$/.test(text))
  if (invalid !== undefined) return `Invalid filter expression '${invalid}'`
  const isCount = /^\d+$/.test(count ?? '')
  const limit = flags.get('m') ?? flags.get('max-count')
  return {
    form,
    binary: flags.has('B') || flags.has('binary'),
    last: isCount ? Number(count) : undefined,
    sinceMs: count === undefined || isCount ? undefined : parseTime(call, count),
    pid: flags.has('pid') ? Number(flags.get('pid')) : undefined,
    pattern,
    filters: new Map([...(flags.has('s') ? [['*', 'S'] as const] : []), ...specifications.map(splitFilter)]),
    ends: flags.has('d') || flags.has('t') || flags.has('dump'),
    limit: limit === undefined ? Number.POSITIVE_INFINITY : Number(limit),
  }
}

const MODIFIERS = new Set([
  'uid',
  'printable',
  'year',
  'usec',
  'nsec',
  'msec',
  'color',
  'colour',
  'UTC',
  'utc',
  'zone',
  'epoch',
  'descriptive',
  'monotonic',
])

function parseForm(names: readonly string[]): LogForm | string {
  const formats = names.filter((name) => !MODIFIERS.has(name))
  const invalid = formats.find((name) => !isLogFormat(name))
  if (invalid !== undefined) return `Invalid parameter "${invalid}" to -v`
  const format = formats.findLast(isLogFormat) ?? 'threadtime'
  return { format, year: names.includes('year'), epoch: names.includes('epoch'), usec: names.includes('usec') }
}

/** `MM-DD hh:mm:ss.mmm`, `YYYY-MM-DD hh:mm:ss.mmm` or seconds since the epoch. */
function parseTime(call: Call, text: string): number | undefined {
  if (/^\d+\.\d+$/.test(text)) return Number(text) * 1000
  const year = new Date(call.device.clock.now()).getUTCFullYear()
  const full = /^\d{4}-/.test(text) ? text : `${year}-${text}`
  const ms = Date.parse(`${full.replace(' ', 'T').slice(0, 23)}Z`)
  return Number.isNaN(ms) ? undefined : ms
}

function splitFilter(filter: string): readonly [string, string] {
  const colon = filter.lastIndexOf(':')
  return colon === -1 ? [filter, 'V'] : [filter.slice(0, colon), filter.slice(colon + 1).toUpperCase() || 'V']
}

/** A tag without a filter uses the filter of `*`. Without that, all levels match. */
function matchesFilters(line: LogLine, { pid, pattern, filters, sinceMs }: Options): boolean {
  if (pid !== undefined && line.pid !== pid) return false
  if (sinceMs !== undefined && line.timeMs < sinceMs) return false
  if (pattern !== undefined && pattern.find(line.text) === undefined) return false
  const level = filters.get(line.tag) ?? filters.get('*') ?? 'V'
  if (level === 'S') return false
  return level === '*' || LOG_LEVELS.indexOf(line.level) >= LOG_LEVELS.findIndex((entry) => entry === level)
}

/** `log [-p LEVEL] [-t TAG] MESSAGE`: writes to the log. */
export async function log(call: Call): Promise<number> {
  const { flags, operands } = parseProgramOptions(call.args, ['p', 't', 'b'])
  const level = (flags.get('p') ?? 'i').charAt(0).toUpperCase()
  const known: LogLevel | undefined = LOG_LEVELS.find((entry) => entry === level)
  if (known === undefined) {
    printError(call, `log: bad -p '${flags.get('p') ?? ''}'\n`)
    return 1
  }
  const text = operands.length > 0 ? operands.join(' ') : (await call.stdin.all()).toString('utf8').replace(/\n$/, '')
  for (const line of text.split('\n')) {
    call.device.log.write({ pid: 19_999, level: known, tag: flags.get('t') ?? 'log', text: line })
  }
  return 0
}
