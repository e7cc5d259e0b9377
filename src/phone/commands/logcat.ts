import { aborted } from '../host/clock.ts'
import type { LogLevel, LogLine } from '../model/system-log.ts'
import { complain, print, type Call } from '../shell/command.ts'

interface Options {
  readonly format: string
  readonly last: number | undefined
  readonly pid: number | undefined
  readonly pattern: RegExp | undefined
  readonly filters: ReadonlyMap<string, string>
  readonly ends: boolean
}

/** `logcat`: what is kept, then what comes, unless told to stop there. */
export async function logcat(call: Call): Promise<number> {
  const { log, faults } = call.device
  if (faults.strikes('logcatDenied')) {
    complain(call, 'logcat: Unable to open log device: Permission denied\n')
    return 1
  }
  if (call.args.includes('-c')) {
    log.clear()
    return 0
  }
  const options = optionsOf(call.args)
  if (!FORMATS.has(options.format)) {
    complain(call, `logcat: Invalid parameter "${options.format}" to -v\n`)
    return 1
  }
  const kept = log.lines().filter((line) => wanted(line, options))
  const shown =
    options.last === undefined ? kept : kept.slice(Math.max(0, kept.length - options.last))
  print(
    call,
    `--------- beginning of main\n${shown.map((line) => showLine(line, options.format)).join('')}`,
  )
  if (options.ends) return 0
  const stop = log.follow((line) => {
    if (wanted(line, options)) print(call, showLine(line, options.format))
  })
  await aborted(call.signal)
  stop()
  return 129
}

const FORMATS = new Set(['brief', 'time', 'threadtime', 'epoch', 'tag', 'raw', 'process'])
const MODIFIERS = new Set(['uid', 'printable', 'year', 'usec', 'color', 'UTC'])

function optionsOf(args: readonly string[]): Options {
  const valueOf = (flag: string): string | undefined =>
    args.includes(flag) ? args[args.indexOf(flag) + 1] : undefined
  const formats = args.filter(
    (_arg, index) => args[index - 1] === '-v' && !MODIFIERS.has(args[index] ?? ''),
  )
  const pid = args.find((arg) => arg.startsWith('--pid='))?.slice(6) ?? valueOf('--pid')
  const count = valueOf('-t') ?? valueOf('-T')
  const pattern = valueOf('-e')
  const filters = args.filter(
    (arg, index) => /^[^-][^ ]*:[VDIWEFS*]$/.test(arg) && !/^-[vtTbe]$/.test(args[index - 1] ?? ''),
  )
  return {
    format: formats.at(-1) ?? 'threadtime',
    last: count === undefined || Number.isNaN(Number(count)) ? undefined : Number(count),
    pid: pid === undefined ? undefined : Number(pid),
    pattern: pattern === undefined ? undefined : patternOf(pattern),
    filters: new Map([
      ...(args.includes('-s') ? [['*', 'S'] as const] : []),
      ...filters.map(splitFilter),
    ]),
    ends: args.includes('-d') || args.includes('-t'),
  }
}

/** What is no regular expression is looked for as it stands. */
function patternOf(text: string): RegExp {
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

/** A tag without a rule of its own follows `*`, and everything is shown when there is none. */
function wanted(line: LogLine, { pid, pattern, filters }: Options): boolean {
  if (pid !== undefined && line.pid !== pid) return false
  if (pattern !== undefined && !pattern.test(line.text)) return false
  const level = filters.get(line.tag) ?? filters.get('*') ?? 'V'
  if (level === 'S') return false
  return level === '*' || ORDER.indexOf(line.level) >= ORDER.findIndex((entry) => entry === level)
}

function showLine(line: LogLine, format: string): string {
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
