import { Redis, type RedisOptions } from 'ioredis'
import type { RedisAddress } from '../../config/redis-address.ts'

/** A connection on which nothing arrives for this long while an answer is due is opened again. */
const SILENCE_MS = 8000
/** How long a stream is waited for. Shorter than the silence that ends a connection. */
const BLOCK_MS = 2000
const ENTRIES_AT_ONCE = 200
const LONGEST_RETRY_MS = 500
const PAUSE_MS = 100

/** Commands wait while Redis is away and are sent when it is back. */
export const redisOptions = {
  maxRetriesPerRequest: null,
  connectTimeout: 3000,
  socketTimeout: SILENCE_MS,
  protocol: 2,
  retryStrategy: (attempts: number) => Math.min(attempts * 50, LONGEST_RETRY_MS),
} satisfies RedisOptions

/** Connects in the background. Errors are reported, and the connection is opened again. */
export function openRedis({ url }: RedisAddress, onError: (error: Error) => void): Redis {
  const redis = new Redis(url, redisOptions)
  redis.on('error', onError)
  return redis
}

/** Reads a stream, also over lost connections, until the signal aborts. `onEntry` gets the fields of each entry. */
export async function followStream(
  redis: Redis,
  { key, signal, trim }: { readonly key: string; readonly signal: AbortSignal; readonly trim: boolean },
  onEntry: (fields: Readonly<Record<string, string>>) => void,
): Promise<void> {
  const own = redis.duplicate({ ...redisOptions, socketTimeout: SILENCE_MS })
  own.on('error', () => {})
  // A connection that is being opened again does not end the commands that wait for it.
  let stopWaiting = () => {}
  signal.addEventListener('abort', () => stopWaiting(), { once: true })
  let last = '0-0'
  try {
    while (!signal.aborted) {
      const read = await new Promise<[string, [string, string[]][]][] | null | undefined>((resolve) => {
        stopWaiting = () => resolve(undefined)
        // An error of Redis, as while it starts, passes.
        own
          .xread('COUNT', ENTRIES_AT_ONCE, 'BLOCK', BLOCK_MS, 'STREAMS', key, last)
          .then(resolve, () => setTimeout(() => resolve(undefined), PAUSE_MS))
      })
      for (const [id, fields] of read?.[0]?.[1] ?? []) {
        last = id
        onEntry(toRecord(fields))
      }
      if (trim && read) redis.xtrim(key, 'MINID', '~', last).catch(() => {})
    }
  } finally {
    own.disconnect()
  }
}

function toRecord(fields: readonly string[]): Record<string, string> {
  const record: Record<string, string> = {}
  for (let at = 0; at + 1 < fields.length; at += 2) record[fields[at] ?? ''] = fields[at + 1] ?? ''
  return record
}
