import { destination, type Logger, pino } from 'pino'
import type { Config } from './config.ts'

/** Logs never carry tokens, cookies or what people typed. */
export function openLog({ log: level }: Pick<Config, 'log'>): Logger {
  const secrets = ['authorization', 'cookie', 'token', 'secret']
  const paths = [...secrets, ...secrets.map((name) => `*.${name}`), 'req.headers', 'err.config']
  return pino(
    { level, base: null, redact: { paths, censor: '[redacted]' } },
    destination({ dest: 1, sync: true }),
  )
}
