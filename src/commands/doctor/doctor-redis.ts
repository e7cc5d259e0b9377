import type { Config } from '../../config/config.ts'
import { formatRedisAddress } from '../../config/redis-address.ts'
import type { Check } from './check.ts'

const ID = 'hosts.redis'
const TIMEOUT_MS = 3000

/** What Redis must be set to, so that it loses nothing that it confirmed. */
const NEEDED = { appendonly: 'yes', appendfsync: 'always', 'maxmemory-policy': 'noeviction' } as const

/** Checks the way to device hosts: whether Redis answers and how it is set. */
export async function checkRedis({ redis: address }: Pick<Config, 'redis'>): Promise<Check[]> {
  if (address === undefined) return []
  const { Redis } = await import('ioredis')
  const redis = new Redis(address.url, {
    lazyConnect: true,
    connectTimeout: TIMEOUT_MS,
    commandTimeout: TIMEOUT_MS,
    retryStrategy: () => null,
  })
  redis.on('error', () => {})
  try {
    await redis.connect()
    const wrong = await findWrongSettings((name) => redis.config('GET', name))
    if (wrong.length === 0) return [{ id: ID, status: 'pass', summary: formatRedisAddress(address) }]
    return [
      {
        id: ID,
        status: 'warn',
        summary: `Redis may lose what it confirmed: ${wrong.join(', ')}`,
        fix: Object.entries(NEEDED)
          .map(([name, value]) => `${name} ${value}`)
          .join(', '),
      },
    ]
  } catch (error) {
    const summary = `${formatRedisAddress(address)} does not answer: ${(error as Error).message}`
    return [{ id: ID, status: 'fail', summary, fix: 'start Redis, or unset APPRENTICE_REDIS' }]
  } finally {
    redis.disconnect()
  }
}

async function findWrongSettings(read: (name: string) => Promise<unknown>): Promise<string[]> {
  const wrong: string[] = []
  for (const [name, value] of Object.entries(NEEDED)) {
    const found = readSetting(await read(name).catch(() => undefined), name)
    if (found !== undefined && found !== value) wrong.push(`${name} is ${found}`)
  }
  return wrong
}

/** A reply is a list or an object, by the version of the protocol. Undefined where the user may not read settings. */
function readSetting(reply: unknown, name: string): string | undefined {
  if (Array.isArray(reply)) return reply[1] as string | undefined
  return (reply as Readonly<Record<string, string>> | undefined)?.[name]
}
