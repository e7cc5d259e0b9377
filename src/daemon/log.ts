import { destination, type DestinationStream, type Logger, pino } from 'pino'
import type { Config } from '../config/config.ts'

/** Logs never carry tokens, cookies or what people typed. */
export function openLog({ log: level }: Pick<Config, 'log'>): Logger {
  const secrets = ['authorization', 'cookie', 'token', 'secret']
  const paths = [...secrets, ...secrets.map((name) => `*.${name}`), 'req.headers', 'err.config']
  return pino({ level, base: null, redact: { paths, censor: '[redacted]' } }, byTheTurn())
}

let shared: (DestinationStream & { flushSync(): void }) | undefined

/** Lines of one turn of the event loop leave in one write; what an exit or a fault would cut off goes out before it. */
function byTheTurn(): NonNullable<typeof shared> {
  if (shared !== undefined) return shared
  const output = destination({ dest: 1, sync: true })
  let lines = ''
  const flushSync = () => {
    const due = lines
    lines = ''
    if (due !== '') output.write(due)
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
