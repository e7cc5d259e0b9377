import fc from 'fast-check'
import type { LightMyRequestResponse } from 'fastify'
import { expect } from 'vitest'
import { failures, type FailureCode } from '@apprentice/contracts/base/failures.ts'
import { type AnyContract, commonFailures, FailureReply } from '@apprentice/contracts/base/route.ts'
import type { Daemon } from '../kit/daemon.ts'
import { fitting, shapeOf } from './fuzz-schema.ts'

/** Words that only our own inside would say. */
const leaks =
  /\n\s+at |node_modules|node:internal|[\\/](?:src|dist)[\\/]|\.[tj]s:\d|SQLITE|apprentice\.db/

export interface Refusal {
  readonly code: FailureCode
  readonly details: Readonly<Record<string, unknown>>
}

/** Checks that a refusal is our envelope, says what the catalogue says, and tells nothing of our inside. */
export function readRefusal(reply: LightMyRequestResponse): Refusal {
  const read = FailureReply.safeParse(JSON.parse(reply.body))
  expect(read.success, reply.body).toBe(true)
  const { error } = FailureReply.parse(reply.json())
  expect(Object.keys(failures), reply.body).toContain(error.code)
  const code = error.code as FailureCode
  expect(reply.statusCode).toBe(failures[code].status)
  expect(error.retryable).toBe(failures[code].retryable)
  expect(error.message.length).toBeGreaterThan(0)
  expect(error.correlation_id).toBe(reply.headers['x-correlation-id'])
  expect(reply.headers['content-type']).toBe('application/json; charset=utf-8')
  expect(reply.body).not.toMatch(leaks)
  return { code, details: error.details ?? {} }
}

/** As `readRefusal`, for a request that breaks its contract: it names the place, whatever the route. */
export function readInvalid(reply: LightMyRequestResponse): string {
  expect(reply.statusCode, reply.body).toBeLessThan(500)
  const { code, details } = readRefusal(reply)
  expect(code, reply.body).toBe('INVALID_REQUEST')
  expect(details['field']).toEqual(expect.stringMatching(/./))
  return String(details['field'])
}

/** Whatever a route answers to a request that fits, it is documented and no fault of ours. */
export function assertDocumented(contract: AnyContract, reply: LightMyRequestResponse): void {
  if (reply.statusCode < 400) {
    expect(reply.statusCode).toBeGreaterThanOrEqual(200)
    return
  }
  const { code } = readRefusal(reply)
  expect(code, reply.body).not.toBe('INTERNAL_ERROR')
  expect([...contract.fails, ...commonFailures(contract)], reply.body).toContain(code)
}

/** How many rows each table has, and the last event: a request that is refused changes none of it. */
export function tally(daemon: Daemon): Record<string, unknown> {
  return daemon.system.store.read(({ db }) => {
    const last = db.prepare('SELECT max(seq) FROM events').pluck().get()
    const counts = tablesOf(daemon).map((name) => [
      name,
      db.prepare(`SELECT count(*) FROM ${name}`).pluck().get(),
    ])
    return { last_event: last, ...Object.fromEntries(counts) }
  })
}

/** Every row there is. */
export function everyRow(daemon: Daemon): Record<string, unknown[]> {
  return daemon.system.store.read(({ db }) =>
    Object.fromEntries(
      tablesOf(daemon).map((name) => [name, db.prepare(`SELECT * FROM ${name}`).all()]),
    ),
  )
}

/** Without the notes of how far the mirrors have come: they follow in their own time. */
function tablesOf(daemon: Daemon): string[] {
  return daemon.system.store.read(({ db }) =>
    db
      .prepare(
        `SELECT name FROM sqlite_schema
          WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'mirror_%'`,
      )
      .pluck()
      .all()
      .map(String),
  )
}

/**
 * A path with every parameter filled: by what is known, else by something that fits. Parts that are empty or only
 * dots mean something else to whoever resolves a path.
 */
export function pathOf(contract: AnyContract, known: Readonly<Record<string, string>> = {}) {
  const [made] = fc.sample(fitting(shapeOf(contract.params)), 1)
  const params = { ...(made as Record<string, unknown>), ...known }
  return contract.url.replaceAll(/:([A-Za-z]+)/g, (_match, name: string) =>
    encodeURIComponent(wellFormed(String(params[name])).replace(/^\.{0,2}$/, 'x')),
  )
}

/** A path cannot carry half a character. */
export const wellFormed = (text: string): string => Buffer.from(text).toString()

export const nameOf = ({ method, url }: AnyContract): string => `${method} ${url}`
