import { destination, type DestinationStream, type Logger, pino } from 'pino'
import type { Config } from '../config/config.ts'

/** Opens the log. It redacts tokens, cookies and request headers. */
export function openLog({ log: level }: Pick<Config, 'log'>): Logger {
  const secrets = ['authorization', 'cookie', 'token', 'secret']
  const paths = [...secrets, ...secrets.map((name) => `*.${name}`), 'req.headers', 'err.config']
  return pino({ level, base: null, redact: { paths, censor: '[redacted]' } }, openBatchedOutput())
}

let shared: (DestinationStream & { flushSync(): void }) | undefined

/** Writes the lines of one event-loop turn at once. Pending lines are written before the process exits. */
function openBatchedOutput(): NonNullable<typeof shared> {
  if (shared !== undefined) return shared
  const output = destination({ dest: 1, sync: true })
  let lines = ''
  const flushSync = () => {
    const pending = lines
    lines = ''
    if (pending !== '') output.write(pending)
  }
  process.once('exit', flushSync)
  shared = {
    write: (line) => {
      if (lines === '') setImmediate(flushSync)
      lines += line
    },
    flushSync,
  }
  return shared
}
