/** Where Redis is, and what its keys begin with. */
export interface RedisAddress {
  readonly url: string
  readonly prefix: string
}

const DEFAULT_PREFIX = 'apprentice'

/** Undefined if the text is not `redis://` or `rediss://` with an optional user, password, database and `?prefix=`. */
export function parseRedisAddress(text: string): RedisAddress | undefined {
  if (!URL.canParse(text)) return undefined
  const url = new URL(text)
  const prefix = url.searchParams.get('prefix') ?? DEFAULT_PREFIX
  const isKnown = [...url.searchParams.keys()].every((name) => name === 'prefix')
  const isAddress = /^rediss?:$/.test(url.protocol) && url.hostname !== '' && /^\/?\d{0,2}$/.test(url.pathname)
  if (!isKnown || !isAddress || !/^[A-Za-z0-9._:-]{1,80}$/.test(prefix)) return undefined
  url.search = ''
  return { url: url.href, prefix }
}

/** The address without its password, for messages. */
export function formatRedisAddress({ url, prefix }: RedisAddress): string {
  const { protocol, host, pathname } = new URL(url)
  return `${protocol}//${host}${pathname === '/' ? '' : pathname} (keys ${prefix}:*)`
}
