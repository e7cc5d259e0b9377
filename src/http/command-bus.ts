import { hash } from 'node:crypto'
import type { z } from 'zod'
import type { CommandContext } from '../domain/command/context.ts'
import { findExpired, isExpired, expiredFailure, expireSession } from '../domain/learn/expiry.ts'
import { Failure } from '../failure/failure.ts'
import type { Reader, Store, Tx } from '../store/db/db.ts'
import { findSessionStatus } from '../store/sessions/learn-sessions.ts'
import { findRememberedReply, insertRememberedReply } from '../store/command/idempotency.ts'
import { recordEvent } from '../domain/command/ledger.ts'
import type { RequestContext } from './mount.ts'

const rememberMs = 24 * 3_600_000

interface SessionParams {
  readonly sessionId: string
}

/** Where a request meets the store: one transaction per command, with the marks of who asked and when. */
export class CommandBus {
  readonly #store: Store
  readonly clock: () => Date
  readonly newId: () => string

  constructor(store: Store, clock: () => Date, newId: () => string) {
    this.#store = store
    this.clock = clock
    this.newId = newId
  }

  now(): string {
    return this.clock().toISOString()
  }

  read<T>(work: (reader: Reader) => T): T {
    return this.#store.read(work as (reader: Reader) => never)
  }

  /**
   * One command = one transaction. A repeated request id gets the first reply again. A failure that is thrown
   * undoes what was written; one that is returned refuses the request and lets it stand.
   */
  async command<T extends object>(
    request: RequestContext,
    work: (ctx: CommandContext) => T | Failure,
  ): Promise<T> {
    const outcome = await this.write(request, (ctx) => remembering(ctx, request, work))
    if (outcome instanceof Failure) throw outcome
    return outcome
  }

  /**
   * The first reply to a repeated request, for work that is done before its command is written: without a
   * look here first it would be done again.
   */
  findFirstReply(request: RequestContext): unknown {
    const request_id = requestId(request)
    if (request_id === undefined) return undefined
    const { user_id } = request.caller
    return this.read((reader) => firstReply(reader, request, { user_id, request_id }, this.now()))
  }

  /** As `command`, for a session that may have been left too long: it is moved on and the request refused. */
  async sessionCommand<T extends object>(
    request: RequestContext<SessionParams>,
    work: (ctx: CommandContext) => T | Failure,
  ): Promise<T> {
    const outcome = await this.write(request, (ctx) => {
      const refused = expireIfDue(ctx, request.params.sessionId)
      return refused ?? remembering(ctx, request, work)
    })
    if (outcome instanceof Failure) throw outcome
    return outcome
  }

  /** As `read`, for a session that may have been left too long. */
  async sessionRead<T>(
    request: RequestContext<SessionParams>,
    work: (reader: Reader) => T,
  ): Promise<T> {
    const { sessionId } = request.params
    const by = request.caller.user_id
    if (
      this.read((reader) => findExpired(reader, sessionId, { by, now: this.now() })) !== undefined
    ) {
      const refused = await this.write(request, (ctx) => expireIfDue(ctx, sessionId) ?? null)
      if (refused !== null) throw refused
    }
    return this.read(work)
  }

  /** As `command`, for a part of a request: only the whole of it is remembered. */
  write<T>(request: RequestContext, work: (ctx: CommandContext) => T): Promise<T> {
    const make = (tx: Tx): CommandContext => ({
      tx,
      now: this.now(),
      actor: { kind: 'user', user_id: request.caller.user_id, by: request.caller.by },
      correlation_id: request.correlation_id,
      newId: this.newId,
    })
    return this.#store.write((tx) => work(make(tx)) as never)
  }
}

/** Undefined when the session is in time. */
function expireIfDue(ctx: CommandContext, sessionId: string): Failure | undefined {
  const standing = findSessionStatus(ctx.tx, sessionId)
  if (standing?.owner_user_id !== ctx.actor.user_id || !isExpired(standing, ctx.now))
    return undefined
  expireSession(ctx, standing)
  return expiredFailure(standing)
}

function remembering<T extends object>(
  ctx: CommandContext,
  request: RequestContext,
  work: (ctx: CommandContext) => T | Failure,
): T | Failure {
  const request_id = requestId(request)
  if (request_id === undefined) return work(ctx)
  const who = { user_id: ctx.actor.user_id, request_id }
  const first = firstReply(ctx.tx, request, who, ctx.now)
  if (first !== undefined) return first as T
  const reply = work(ctx)
  if (reply instanceof Failure) return reply
  insertRememberedReply(ctx.tx, {
    ...who,
    route: routeOf(request),
    body_sha256: bodyHash(request),
    status: request.contract.status,
    reply: JSON.stringify(reply),
    created_at: ctx.now,
    expires_at: new Date(Date.parse(ctx.now) + rememberMs).toISOString(),
  })
  recordEvent(ctx, 'idempotency', 'learn.idempotency.changed')
  return reply
}

function firstReply(
  reader: Reader,
  request: RequestContext,
  who: { readonly user_id: string; readonly request_id: string },
  now: string,
): unknown {
  const first = findRememberedReply(reader, { ...who, route: routeOf(request) }, now)
  if (first === undefined) return undefined
  if (first.body_sha256 === bodyHash(request)) return JSON.parse(first.reply) as unknown
  throw new Failure('IDEMPOTENCY_CONFLICT', 'This request id was used for a different request.')
}

const routeOf = ({ contract }: RequestContext): string => `${contract.method} ${contract.url}`

const bodyHash = ({ params, query, body }: RequestContext): string =>
  hash('sha256', canonical([params, query, body]), 'hex')

function requestId({ headers, body, contract }: RequestContext): string | undefined {
  // A reply with a secret in it is never kept.
  if (contract.secret === true) return undefined
  const header = headers['idempotency-key'] ?? headers['x-client-request-id']
  if (header !== undefined) {
    if (typeof header === 'string' && /^[\x21-\x7e]{1,200}$/.test(header)) return `header:${header}`
    throw new Failure(
      'INVALID_REQUEST',
      'idempotency-key must be 1 to 200 visible ASCII characters.',
      {
        details: { field: 'idempotency-key', in: 'headers' },
      },
    )
  }
  const id = (body as { client_request_id?: z.infer<z.ZodString> } | undefined)?.client_request_id
  return id === undefined ? undefined : `body:${id}`
}

/** JSON with sorted keys, so that the order of keys does not make another request. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    inner !== null && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )
}
