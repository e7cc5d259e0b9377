import type { GraphState } from './graph-state.ts'

/** A request to the Graph server of a test, after its address was taken apart. */
export interface GraphCall {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly body: Readonly<Record<string, unknown>>
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The parts of the path that the route names. */
  readonly parts: readonly string[]
  readonly state: GraphState
  /** The address of the server, with its version. */
  readonly url: string
}

export interface GraphAnswer {
  readonly status: number
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export interface GraphRoute {
  readonly method: string
  readonly path: RegExp
  /** One of these scopes is needed. */
  readonly scopes: readonly string[]
  readonly handle: (call: GraphCall) => GraphAnswer
}

/** The body that Graph sends with an error. */
export const fail = (status: number, code: string, headers: Readonly<Record<string, string>> = {}): GraphAnswer => ({
  status,
  headers,
  body: {
    error: {
      code,
      message: 'A text of the server that must not be shown.',
      innerError: { date: '2026-03-01T12:00:00', 'request-id': 'b1e2', 'client-request-id': 'b1e2' },
    },
  },
})

export const ok = (body: unknown, status = 200): GraphAnswer => ({ status, body })

/** A page of a list, with the address of the next one. */
export function page(call: GraphCall, items: readonly unknown[], size: number): GraphAnswer {
  const from = Number(call.query.get('$skiptoken') ?? 0)
  const next = new URLSearchParams(call.query)
  next.set('$skiptoken', String(from + size))
  const hasMore = from + size < items.length
  const link = hasMore ? { '@odata.nextLink': `${call.url}${call.path}?${next.toString()}` } : {}
  return ok({ value: items.slice(from, from + size), ...link })
}
