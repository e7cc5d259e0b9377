import { hash } from 'node:crypto'
import type { z } from 'zod'
import { type Actor, type CommandContext, type ContextDeps, writeAs } from '../domain/command/context.ts'
import { findExpiredSession, isExpired, sessionTimeout, expireSession } from '../domain/learn/expiry.ts'
import { Failure } from '../failure/failure.ts'
import { canonicalJson } from '../knowledge/canonical-json/canonical-json.ts'
import type { Reader, Store } from '../store/db/db.ts'
import { findSessionStatus } from '../store/sessions/learn-sessions.ts'
import { findStoredReply, insertStoredReply } from '../store/command/idempotency.ts'
import { recordEvent } from '../domain/command/ledger.ts'
import { traceWork, type Traces } from '../traces/traces.ts'
import type { RequestContext } from './contract-routes.ts'

const REPLY_TTL_MS = 24 * 3_600_000

interface CommandDeps extends ContextDeps {
  readonly store: Store
  readonly traces?: Traces | undefined
}

interface SessionParams {
  readonly sessionId: string
}

/** Runs commands and reads of requests against the store. Each command is one transaction. */
export class CommandBus {
  readonly #deps: CommandDeps
  /** The requests with an id that `commandOnce` is working on. */
  readonly #running = new Map<string, Promise<unknown>>()

  constructor(deps: CommandDeps) {
    this.#deps = deps
  }

  get newId(): () => string {
    return this.#deps.newId
  }

  now(): string {
    return this.#deps.clock().toISOString()
  }

  read<T>(work: (reader: Reader) => T): T {
    return this.#deps.store.read(work as (reader: Reader) => never)
  }

  /**
   * Runs one command in one transaction. A repeated request id gets the first reply again. A thrown failure rolls the
   * transaction back. A returned failure also refuses the request, but what was written is committed.
   */
  async command<T extends object>(request: RequestContext, work: (ctx: CommandContext) => T | Failure): Promise<T> {
    const outcome = await this.write(request, (ctx) => withFirstReply(ctx, request, work))
    if (outcome instanceof Failure) throw outcome
    return outcome
  }

  /**
   * Finds the first reply to a repeated request. Call it before work that comes before the command, such as writing
   * files, so that the work is not repeated.
   */
  findFirstReply(request: RequestContext): unknown {
    const request_id = readRequestId(request)
    if (request_id === undefined) return undefined
    const { user_id } = request.caller
    return this.read((reader) => findReply(reader, request, { user_id, request_id }, this.now()))
  }

  /**
   * As `command`, for work that is more than one transaction and cannot be repeated, such as a cancellation. A repeated
   * request id gets the first reply again.
   */
  async commandOnce<T extends object>(request: RequestContext, work: () => Promise<T>): Promise<T> {
    const request_id = readRequestId(request)
    if (request_id === undefined) return work()
    const first = this.findFirstReply(request) as T | undefined
    if (first !== undefined) return first
    const key = JSON.stringify([request.caller.user_id, formatRoute(request), request_id])
    const running = this.#running.get(key)
    if (running !== undefined) {
      await running.catch(() => undefined)
      return this.commandOnce(request, work)
    }
    const turn = work().then((reply) => this.command(request, () => reply))
    this.#running.set(key, turn)
    return turn.finally(() => this.#running.delete(key))
  }

  /** As `command`, for a session. If its time limit has passed, the session expires and the request is refused. */
  async sessionCommand<T extends object>(
    request: RequestContext<SessionParams>,
    work: (ctx: CommandContext) => T | Failure,
  ): Promise<T> {
    const outcome = await this.write(request, (ctx) => {
      const expired = expireIfDue(ctx, request.params.sessionId)
      return expired ?? withFirstReply(ctx, request, work)
    })
    if (outcome instanceof Failure) throw outcome
    return outcome
  }

  /** As `read`, for a session. If its time limit has passed, the session expires and the request is refused. */
  async sessionRead<T>(request: RequestContext<SessionParams>, work: (reader: Reader) => T): Promise<T> {
    const { sessionId } = request.params
    const by = request.caller.user_id
    if (this.read((reader) => findExpiredSession(reader, sessionId, { user_id: by, now: this.now() })) !== undefined) {
      const expired = await this.write(request, (ctx) => expireIfDue(ctx, sessionId) ?? null)
      if (expired !== null) throw expired
    }
    return this.read(work)
  }

  /** As `command`, for a part of a request. Its reply is not stored. */
  write<T>(request: RequestContext, work: (ctx: CommandContext) => T): Promise<T> {
    const { caller, correlation_id, contract } = request
    const { user_id, by: operator, token_id } = caller
    return traceWork(this.#deps.traces, { name: `command ${contract.method} ${contract.url}` }, (span) => {
      const authority = { token_id, ...(span === undefined ? {} : { trace: span.context }) }
      const actor: Actor = { kind: 'user', user_id, operator, authority }
      return writeAs(this.#deps, { actor, correlation_id }, work)
    })
  }
}

/** Expires the session if its time limit has passed. Returns undefined otherwise. */
function expireIfDue(ctx: CommandContext, sessionId: string): Failure | undefined {
  const status = findSessionStatus(ctx.tx, sessionId)
  if (status?.owner_user_id !== ctx.actor.user_id || !isExpired(status, ctx.now)) return undefined
  expireSession(ctx, status)
  return sessionTimeout(status)
}

function withFirstReply<T extends object>(
  ctx: CommandContext,
  request: RequestContext,
  work: (ctx: CommandContext) => T | Failure,
): T | Failure {
  const request_id = readRequestId(request)
  if (request_id === undefined) return work(ctx)
  const key = { user_id: ctx.actor.user_id, request_id }
  const first = findReply(ctx.tx, request, key, ctx.now)
  if (first !== undefined) return first as T
  const reply = work(ctx)
  if (reply instanceof Failure) return reply
  insertStoredReply(ctx.tx, {
    ...key,
    route: formatRoute(request),
    body_sha256: hashRequest(request),
    status: request.contract.status,
    reply: JSON.stringify(reply),
    created_at: ctx.now,
    expires_at: new Date(Date.parse(ctx.now) + REPLY_TTL_MS).toISOString(),
  })
  recordEvent(ctx, 'idempotency', 'learn.idempotency.changed')
  return reply
}

function findReply(
  reader: Reader,
  request: RequestContext,
  key: { readonly user_id: string; readonly request_id: string },
  now: string,
): unknown {
  const first = findStoredReply(reader, { ...key, route: formatRoute(request) }, now)
  if (first === undefined) return undefined
  if (first.body_sha256 === hashRequest(request)) return JSON.parse(first.reply) as unknown
  throw new Failure('IDEMPOTENCY_CONFLICT', 'This request id was already used for a different request. Use a new one.')
}

/** The first path of a route, so that a stored reply is found under its later path too. */
const formatRoute = ({ contract: { method, url, earlier_url } }: RequestContext): string =>
  `${method} ${earlier_url ?? url}`

const hashRequest = ({ params, query, body }: RequestContext): string =>
  hash('sha256', canonicalJson([params, query, body]), 'hex')

function readRequestId({ headers, body, contract }: RequestContext): string | undefined {
  // A reply that contains a secret is never stored.
  if (contract.secret === true) return undefined
  const header = headers['idempotency-key'] ?? headers['x-client-request-id']
  if (header !== undefined) {
    if (typeof header === 'string' && /^[\x21-\x7e]{1,200}$/.test(header)) return `header:${header}`
    throw new Failure('INVALID_REQUEST', 'idempotency-key must be 1 to 200 visible ASCII characters.', {
      details: { field: 'idempotency-key', in: 'headers' },
    })
  }
  const id = (body as { client_request_id?: z.infer<z.ZodString> } | undefined)?.client_request_id
  return id === undefined ? undefined : `body:${id}`
}
