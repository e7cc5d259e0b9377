import { z } from 'zod'
import { FailureReply, type Contract } from './base/route.ts'

export interface ClientOptions {
  /** For example `http://127.0.0.1:4870`; empty on a page served by the daemon. */
  readonly baseUrl: string
  readonly token?: string
  readonly fetch?: typeof fetch
}

/** A failure reply of the daemon. */
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

interface CallOptions<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType> {
  readonly params?: z.input<P>
  readonly query?: z.input<Q>
  readonly body?: z.input<B>
  /** The body for a contract with `form`. */
  readonly form?: FormData
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

export type Call = <P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, R extends z.ZodType>(
  contract: Contract<P, Q, B, R>,
  options?: CallOptions<P, Q, B>,
) => Promise<z.output<R>>

/** Returns a function that calls any contract with typed parameters and reply. */
export function createClient({ baseUrl, token, fetch: send = fetch }: ClientOptions): Call {
  return async (contract, options = {}) => {
    const response = await send(baseUrl + fillPath(contract.url, options.params) + formatQuery(options.query), {
      method: contract.method,
      headers: {
        accept: 'application/json, text/plain, image/*',
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(options.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...options.headers,
      },
      ...(options.form === undefined ? {} : { body: options.form }),
      ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    })
    if (!response.ok) throw await readFailure(response)
    return contract.reply.parse(contract.media === undefined ? await response.json() : await response.text())
  }
}

export function fillPath(url: string, params: unknown): string {
  return url.replaceAll(/:([A-Za-z]+)/g, (_match, name: string) => {
    const value = (params as Readonly<Record<string, string | number>> | undefined)?.[name]
    if (value === undefined) throw new Error(`The path ${url} requires the parameter ${name}.`)
    return encodeURIComponent(String(value))
  })
}

export function formatQuery(query: unknown): string {
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
