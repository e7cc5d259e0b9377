import type { Database } from 'better-sqlite3'
import fc from 'fast-check'
import type { LightMyRequestResponse } from 'fastify'
import { expect } from 'vitest'
import { FAILURES, type FailureCode } from '@apprentice/contracts/base/failures.ts'
import { type AnyContract, listCommonFailures, FailureReply } from '@apprentice/contracts/base/route.ts'
import type { Daemon } from '../kit/daemon.ts'
import { validValues, readShape } from './fuzz-schema.ts'

/** Text that would reveal internals: stack traces, paths, database errors. */
const INTERNAL_TEXT = /\n\s+at |node_modules|node:internal|[\\/](?:src|dist)[\\/]|\.[tj]s:\d|SQLITE|apprentice\.db/

export interface Refusal {
  readonly code: FailureCode
  readonly details: Readonly<Record<string, unknown>>
}

/** Checks that a refusal is the error envelope, matches the catalogue and reveals no internals. */
export function readRefusal(reply: LightMyRequestResponse): Refusal {
  const read = FailureReply.safeParse(JSON.parse(reply.body))
  if (!read.success) expect.fail(`not the error envelope: ${reply.body}`)
  const { error } = read.data
  expect(Object.keys(FAILURES), reply.body).toContain(error.code)
  const code = error.code as FailureCode
  expect(reply.statusCode).toBe(FAILURES[code].status)
  expect(error.retryable).toBe(FAILURES[code].retryable)
  expect(error.message.length).toBeGreaterThan(0)
  expect(error.correlation_id).toBe(reply.headers['x-correlation-id'])
  expect(reply.headers['content-type']).toBe('application/json; charset=utf-8')
  expect(reply.body).not.toMatch(INTERNAL_TEXT)
  return { code, details: error.details ?? {} }
}

/** As `readRefusal`, for a request that violates its contract. Returns the field that the reply names. */
export function readInvalid(reply: LightMyRequestResponse): string {
  expect(reply.statusCode, reply.body).toBeLessThan(500)
  const { code, details } = readRefusal(reply)
  expect(code, reply.body).toBe('INVALID_REQUEST')
  expect(details['field']).toEqual(expect.stringMatching(/./))
  return String(details['field'])
}

/** Checks that the reply to a valid request is documented and not an internal error. */
export function assertDocumented(contract: AnyContract, reply: LightMyRequestResponse): void {
  if (reply.statusCode < 400) {
    expect(reply.statusCode).toBeGreaterThanOrEqual(200)
    return
  }
  const { code } = readRefusal(reply)
  expect(code, reply.body).not.toBe('INTERNAL_ERROR')
  expect([...contract.fails, ...listCommonFailures(contract)], reply.body).toContain(code)
}

/** The number of rows per table and the last event. A refused request changes neither. */
export const countRows = readUnlessUnchanged((db) => {
  const counts = listTables(db).map((name) => `(SELECT count(*) FROM ${name}) AS ${name}`)
  const statement = db.prepare(`SELECT (SELECT max(seq) FROM events) AS last_event, ${counts.join(', ')}`)
  return () => statement.get() as Record<string, unknown>
})

/** All rows of all tables. */
export const readAllRows = readUnlessUnchanged((db) => {
  const statements = listTables(db).map((name) => [name, db.prepare(`SELECT * FROM ${name}`)] as const)
  return () => Object.fromEntries(statements.map(([name, statement]) => [name, statement.all()]))
})

/**
 * Reads the database of a daemon, and again only after a commit. Reads have a connection of their own, whose version
 * changes with every commit of the writer.
 */
function readUnlessUnchanged<T>(prepare: (db: Database) => () => T): (daemon: Daemon) => T {
  const readers = new WeakMap<Daemon, () => T>()
  const prepareReader = (db: Database): (() => T) => {
    const read = prepare(db)
    const version = db.prepare('PRAGMA data_version').pluck()
    let last = { version: version.get(), content: read() }
    return () => {
      const current = version.get()
      if (last.version !== current) last = { version: current, content: read() }
      return last.content
    }
  }
  return (daemon) => {
    const read =
      readers.get(daemon) ??
      daemon.system.store.read(
        ({ db }) =>
          () =>
            prepareReader(db),
      )()
    readers.set(daemon, read)
    return read()
  }
}

/**
 * Without the cursors of projections, which are written asynchronously, and the number of commits, which also counts a
 * commit of nothing.
 */
function listTables(db: Database): string[] {
  return db
    .prepare(
      `SELECT name FROM sqlite_schema
        WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'mirror_%'
          AND name <> 'database_identity'`,
    )
    .pluck()
    .all()
    .map(String)
}

/**
 * A path with all parameters filled, with known values or else with valid ones. Parts that are empty or consist of
 * dots are replaced, because URL parsers resolve them.
 */
export function buildPath(contract: AnyContract, known: Readonly<Record<string, string>> = {}) {
  const [made] = fc.sample(validValues(readShape(contract.params)), 1)
  const params = { ...(made as Record<string, unknown>), ...known }
  return contract.url.replaceAll(/:([A-Za-z]+)/g, (_match, name: string) =>
    encodeURIComponent(wellFormed(String(params[name])).replace(/^\.{0,2}$/, 'x')),
  )
}

/** Replaces lone surrogates, which a path cannot contain. */
export const wellFormed = (text: string): string => Buffer.from(text).toString()

export const formatContract = ({ method, url }: AnyContract): string => `${method} ${url}`
