import { aborted } from '../host/clock.ts'
import type { LogLevel, LogLine } from '../model/system-log.ts'
import { printError, print, type Call } from '../shell/command.ts'

interface Options {
  readonly format: string
  readonly last: number | undefined
  readonly pid: number | undefined
  readonly pattern: RegExp | undefined
  readonly filters: ReadonlyMap<string, string>
  readonly ends: boolean
}

/** `logcat`: prints the stored lines, then new lines until the stream is closed (unless -d or -t). */
export async function logcat(call: Call): Promise<number> {
  const { log, faults } = call.device
  if (faults.consume('logcatDenied')) {
    printError(call, 'logcat: Unable to open log device: Permission denied\n')
    return 1
  }
  if (call.args.includes('-c')) {
    log.clear()
    return 0
  }
  const options = parseOptions(call.args)
  if (!FORMATS.has(options.format)) {
    printError(call, `logcat: Invalid parameter "${options.format}" to -v\n`)
    return 1
  }
  const stored = log.lines().filter((line) => matchesFilters(line, options))
  const selected = options.last === undefined ? stored : stored.slice(Math.max(0, stored.length - options.last))
  print(call, `--------- beginning of main\n${selected.map((line) => formatLine(line, options.format)).join('')}`)
  if (options.ends) return 0
  const stop = log.follow((line) => {
    if (matchesFilters(line, options)) print(call, formatLine(line, options.format))
  })
  await aborted(call.signal)
  stop()
  return 129
}

const FORMATS = new Set(['brief', 'time', 'threadtime', 'epoch', 'tag', 'raw', 'process'])
const MODIFIERS = new Set(['uid', 'printable', 'year', 'usec', 'color', 'UTC'])

function parseOptions(args: readonly string[]): Options {
  const readValue = (flag: string): string | undefined =>
    args.includes(flag) ? args[args.indexOf(flag) + 1] : undefined
  const formats = args.filter((_arg, index) => args[index - 1] === '-v' && !MODIFIERS.has(args[index] ?? ''))
  const pid = args.find((arg) => arg.startsWith('--pid='))?.slice(6) ?? readValue('--pid')
  const count = readValue('-t') ?? readValue('-T')
  const pattern = readValue('-e')
  const filters = args.filter(
    (arg, index) => /^[^-][^ ]*:[VDIWEFS*]$/.test(arg) && !/^-[vtTbe]$/.test(args[index - 1] ?? ''),
  )
  return {
    format: formats.at(-1) ?? 'threadtime',
    last: count === undefined || Number.isNaN(Number(count)) ? undefined : Number(count),
    pid: pid === undefined ? undefined : Number(pid),
    pattern: pattern === undefined ? undefined : compilePattern(pattern),
    filters: new Map([...(args.includes('-s') ? [['*', 'S'] as const] : []), ...filters.map(splitFilter)]),
    ends: args.includes('-d') || args.includes('-t'),
  }
}

/** Compiles a pattern. An invalid regular expression is matched literally. */
function compilePattern(text: string): RegExp {
  try {
    return new RegExp(text)
  } catch {
    return new RegExp(text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`))
  }
}

function splitFilter(filter: string): readonly [string, string] {
  const colon = filter.lastIndexOf(':')
  return [filter.slice(0, colon), filter.slice(colon + 1)]
}

const ORDER: readonly LogLevel[] = ['V', 'D', 'I', 'W', 'E', 'F']

/** A tag without a filter uses the filter of `*`. Without that, all levels match. */
function matchesFilters(line: LogLine, { pid, pattern, filters }: Options): boolean {
  if (pid !== undefined && line.pid !== pid) return false
  if (pattern !== undefined && !pattern.test(line.text)) return false
  const level = filters.get(line.tag) ?? filters.get('*') ?? 'V'
  if (level === 'S') return false
  return level === '*' || ORDER.indexOf(line.level) >= ORDER.findIndex((entry) => entry === level)
}

function formatLine(line: LogLine, format: string): string {
  const date = new Date(line.timeMs).toISOString()
  const time = `${date.slice(5, 10)} ${date.slice(11, 23)}`
  const pid = String(line.pid).padStart(5)
  switch (format) {
    case 'time':
      return `${time} ${line.level}/${line.tag}(${pid}): ${line.text}\n`
    case 'brief':
      return `${line.level}/${line.tag}(${pid}): ${line.text}\n`
    case 'epoch':
      return `${(line.timeMs / 1000).toFixed(3).padStart(19)} ${pid} ${pid} ${line.level} ${line.tag}: ${line.text}\n`
    case 'tag':
      return `${line.level}/${line.tag}: ${line.text}\n`
    case 'process':
      return `${line.level}(${pid}) ${line.text}  (${line.tag})\n`
    case 'raw':
      return `${line.text}\n`
    default:
      return `${time} ${pid} ${pid} ${line.level} ${line.tag.padEnd(8)}: ${line.text}\n`
  }
}
