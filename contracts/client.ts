import { z } from 'zod'
import { FailureReply, type Contract } from './base/route.ts'

export interface ClientOptions {
  /** `http://127.0.0.1:4870`; empty in a page of the daemon itself. */
  readonly baseUrl: string
  readonly token?: string
  readonly fetch?: typeof fetch
}

/** The daemon refused. */
export class ApiFailure extends Error {
  readonly status: number
  readonly code: string
  readonly retryable: boolean
  readonly correlation_id: string | undefined
  readonly details: Readonly<Record<string, unknown>>

  constructor(status: number, reply: FailureReply) {
    super(reply.error.message)
    this.status = status
    this.code = reply.error.code
    this.retryable = reply.error.retryable
    this.correlation_id = reply.error.correlation_id
    this.details = reply.error.details ?? {}
  }
}

interface Ask<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType> {
  readonly params?: z.input<P>
  readonly query?: z.input<Q>
  readonly body?: z.input<B>
  /** For a contract that takes a form. */
  readonly form?: FormData
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

export type Call = <
  P extends z.ZodType,
  Q extends z.ZodType,
  B extends z.ZodType,
  R extends z.ZodType,
>(
  contract: Contract<P, Q, B, R>,
  ask?: Ask<P, Q, B>,
) => Promise<z.output<R>>

/** Calls any contract with its own types on both sides. */
export function createClient({ baseUrl, token, fetch: send = fetch }: ClientOptions): Call {
  return async (contract, ask = {}) => {
    const response = await send(
      baseUrl + fillPath(contract.url, ask.params) + queryText(ask.query),
      {
        method: contract.method,
        headers: {
          accept: 'application/json, text/plain, image/*',
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(ask.body === undefined ? {} : { 'content-type': 'application/json' }),
          ...ask.headers,
        },
        ...(ask.form === undefined ? {} : { body: ask.form }),
        ...(ask.body === undefined ? {} : { body: JSON.stringify(ask.body) }),
        ...(ask.signal === undefined ? {} : { signal: ask.signal }),
      },
    )
    if (!response.ok) throw await readFailure(response)
    return contract.reply.parse(
      contract.media === undefined ? await response.json() : await response.text(),
    )
  }
}

export function fillPath(url: string, params: unknown): string {
  return url.replaceAll(/:([A-Za-z]+)/g, (_match, name: string) => {
    const value = (params as Readonly<Record<string, string | number>> | undefined)?.[name]
    if (value === undefined) throw new Error(`The path ${url} needs ${name}.`)
    return encodeURIComponent(String(value))
  })
}

export function queryText(query: unknown): string {
  const pairs = Object.entries((query ?? {}) as Record<string, unknown>)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [name, String(value)] as [string, string])
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs).toString()}`
}

async function readFailure(response: Response): Promise<ApiFailure> {
  const body: unknown = await response.json().catch(() => undefined)
  const read = FailureReply.safeParse(body)
  return new ApiFailure(
    response.status,
    read.success
      ? read.data
      : { error: { code: 'INTERNAL_ERROR', message: `HTTP ${response.status}`, retryable: false } },
  )
}
