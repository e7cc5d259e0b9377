import type Database from 'better-sqlite3'
import { type Reader, sql } from './db.ts'

interface Cache {
  readonly version: unknown
  readonly values: Map<string, unknown>
}

const caches = new WeakMap<Database.Database, Cache>()
const CACHE_LIMIT = 1000

/**
 * Returns the result of `work` from a cache that is emptied by every commit, also of other processes. `key` must name
 * everything the result depends on. All callers get the same object and must not change it. Inside a transaction there
 * is no cache, because a transaction sees its own changes.
 */
export function cached<T>(reader: Reader, key: string, work: () => T): T {
  if (reader.db.inTransaction) return work()
  const version = sql(reader, 'PRAGMA data_version', 'values').get()
  let cache = caches.get(reader.db)
  if (cache === undefined || cache.version !== version || cache.values.size >= CACHE_LIMIT) {
    caches.set(reader.db, (cache = { version, values: new Map() }))
  }
  if (!cache.values.has(key)) cache.values.set(key, work())
  return cache.values.get(key) as T
}
