import type { z } from 'zod'
import { type Contract, FailureReply } from './base/route.ts'

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

export interface CallOptions<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType> {
  readonly params?: z.input<P>
  readonly query?: z.input<Q>
  readonly body?: z.input<B>
  /** The body for a contract with `form`. */
  readonly form?: FormData
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

/** The options of a call whose contract has been checked already. */
export type AnyCallOptions = CallOptions<z.ZodType, z.ZodType, z.ZodType>
type Route = Pick<Contract, 'method' | 'url'>

export const buildUrl = (baseUrl: string, { url }: Route, { params, query }: AnyCallOptions): string =>
  baseUrl + fillPath(url, params) + formatQuery(query)

export const buildHeaders = (
  { token }: ClientOptions,
  { headers, body }: AnyCallOptions,
  accept: string,
): Record<string, string> => ({
  accept,
  ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  ...headers,
})

/** Sends the request of a contract. The reply may have any status. */
export function sendRequest(
  client: ClientOptions,
  contract: Route,
  options: AnyCallOptions,
  accept: string,
): Promise<Response> {
  const { form, body, signal } = options
  const send = client.fetch ?? fetch
  return send(buildUrl(client.baseUrl, contract, options), {
    method: contract.method,
    headers: buildHeaders(client, options, accept),
    ...(form === undefined ? {} : { body: form }),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  })
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

export async function readFailure(response: Response): Promise<ApiFailure> {
  return toFailure(response.status, await response.json().catch(() => undefined))
}

export function toFailure(status: number, body: unknown): ApiFailure {
  const read = FailureReply.safeParse(body)
  return new ApiFailure(
    status,
    read.success ? read.data : { error: { code: 'INTERNAL_ERROR', message: `HTTP ${status}`, retryable: false } },
  )
}
