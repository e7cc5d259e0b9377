import { z } from 'zod'
import type { FailureCode } from './failures.ts'

/** `open` needs no token at all. */
export type Privilege = 'open' | 'read' | 'write' | 'admin'

/**
 * One route as a client may know it. The same object validates and serialises in the daemon, documents itself
 * in OpenAPI and types the client's call.
 */
export interface Contract<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Reply extends z.ZodType = z.ZodType,
> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly url: string
  readonly tag: string
  readonly summary: string
  readonly privilege: Privilege
  readonly params: Params
  readonly query: Query
  readonly body: Body
  readonly reply: Reply
  /** Status of success. */
  readonly status: number
  /** A second status of success, with the same reply: accepted, but not done yet. */
  readonly pending_status?: number
  readonly fails: readonly FailureCode[]
  /** An event stream: `reply` describes the data of each event. */
  readonly stream: boolean
  /** Content type of a reply that is not JSON. */
  readonly media?: string
  readonly body_limit?: number
  /** The reply carries a secret: it is never remembered for a repeated request. */
  readonly secret?: boolean
  /** The parts of a body sent as multipart/form-data; the handler reads them as they come. */
  readonly form?: z.ZodType
}

export type AnyContract = Contract

/** No fields at all. */
type Nothing = z.ZodObject<Record<never, z.ZodType>>

interface RouteParts<
  P extends z.ZodType,
  Q extends z.ZodType,
  B extends z.ZodType,
  R extends z.ZodType,
> {
  method: Contract['method']
  url: string
  tag: string
  summary: string
  privilege: Privilege
  params?: P
  query?: Q
  body?: B
  reply: R
  status?: number
  pending_status?: number
  fails?: readonly FailureCode[]
  stream?: boolean
  media?: string
  body_limit?: number
  secret?: boolean
  form?: z.ZodType
}

export function route<
  R extends z.ZodType,
  P extends z.ZodType = Nothing,
  Q extends z.ZodType = Nothing,
  B extends z.ZodType = Nothing,
>(parts: RouteParts<P, Q, B, R>): Contract<P, Q, B, R> {
  const nothing = z.object({})
  return {
    status: 200,
    fails: [],
    stream: false,
    ...parts,
    // The defaults stand for "no fields"; their types are the generic defaults above.
    params: parts.params ?? (nothing as unknown as P),
    query: parts.query ?? (nothing as unknown as Q),
    body: parts.body ?? (nothing as unknown as B),
  }
}

/** Failures any route may answer, whatever its own list says. */
export const listCommonFailures = (contract: AnyContract): FailureCode[] => [
  'INVALID_REQUEST',
  'HOST_NOT_ALLOWED',
  'INTERNAL_ERROR',
  ...(contract.privilege === 'open' ? [] : (['UNAUTHENTICATED', 'AUTH_UNAVAILABLE'] as const)),
  ...(contract.privilege === 'open' ? [] : (['RATE_LIMITED'] as const)),
  ...(contract.privilege === 'write' || contract.privilege === 'admin'
    ? (['FORBIDDEN', 'ORIGIN_NOT_ALLOWED'] as const)
    : []),
  ...(contract.method === 'GET' ? [] : (['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const)),
  ...(contract.method === 'GET' || contract.privilege === 'open'
    ? []
    : (['IDEMPOTENCY_CONFLICT'] as const)),
]

export const FailureReply = z
  .object({
    error: z.object({
      code: z.string().max(80),
      message: z.string().max(240),
      retryable: z.boolean(),
      correlation_id: z.string().max(200).optional(),
      details: z.record(z.string(), z.unknown()).optional(),
    }),
  })
  .loose()
  .meta({ id: 'FailureReply' })
export type FailureReply = z.infer<typeof FailureReply>
