import type { LogLevel, LogLine } from '../model/system-log.ts'

export const LOG_LEVELS: readonly LogLevel[] = ['V', 'D', 'I', 'W', 'E', 'F']

const FORMATS = ['brief', 'long', 'process', 'raw', 'tag', 'thread', 'threadtime', 'time', 'epoch'] as const
type LogFormat = (typeof FORMATS)[number]

export interface LogForm {
  readonly format: LogFormat
  readonly year: boolean
  readonly epoch: boolean
  readonly usec: boolean
}

export function isLogFormat(name: string): name is LogFormat {
  return FORMATS.some((format) => format === name)
}

function formatTime({ timeMs }: LogLine, { format, year, epoch, usec }: LogForm): string {
  if (epoch || format === 'epoch') return (timeMs / 1000).toFixed(3).padStart(19)
  const date = new Date(timeMs).toISOString()
  return `${date.slice(year ? 0 : 5, 10)} ${date.slice(11, 23)}${usec ? '000' : ''}`
}

/** Formats a line as `logcat -v FORMAT` does. */
export function formatLogLine(line: LogLine, form: LogForm): string {
  const { level, tag, text } = line
  const time = formatTime(line, form)
  const pid = String(line.pid).padStart(5)
  switch (form.format) {
    case 'time':
      return `${time} ${level}/${tag.padEnd(8)}(${pid}): ${text}\n`
    case 'brief':
      return `${level}/${tag.padEnd(8)}(${pid}): ${text}\n`
    case 'tag':
      return `${level}/${tag.padEnd(8)}: ${text}\n`
    case 'process':
      return `${level}(${pid}) ${text}  (${tag})\n`
    case 'thread':
      return `${level}(${pid}:${pid}) ${text}\n`
    case 'long':
      return `[ ${time} ${pid}:${pid} ${level}/${tag.padEnd(8)} ]\n${text}\n\n`
    case 'raw':
      return `${text}\n`
    case 'epoch':
    case 'threadtime':
      return `${time} ${pid} ${pid} ${level} ${tag.padEnd(8)}: ${text}\n`
  }
}

const HEADER_BYTES = 28
const FIRST_PRIORITY = 2
const MAIN_LOG = 0

/** One entry of `logcat -B`: a header of seven numbers, then priority, tag and text. */
export function encodeLogEntry({ timeMs, pid, level, tag, text }: LogLine): Buffer {
  const priority = Buffer.of(FIRST_PRIORITY + LOG_LEVELS.indexOf(level))
  const message = Buffer.concat([priority, Buffer.from(`${tag}\0${text}\0`)])
  const header = Buffer.alloc(HEADER_BYTES)
  header.writeUInt16LE(message.length, 0)
  header.writeUInt16LE(HEADER_BYTES, 2)
  header.writeInt32LE(pid, 4)
  header.writeUInt32LE(pid, 8)
  header.writeUInt32LE(Math.floor(timeMs / 1000), 12)
  header.writeUInt32LE((timeMs % 1000) * 1_000_000, 16)
  header.writeUInt32LE(MAIN_LOG, 20)
  return Buffer.concat([header, message])
}
