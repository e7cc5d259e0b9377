import { z } from 'zod'
import type { FailureCode } from './failures.ts'

/** `open` requires no token. */
export type Privilege = 'open' | 'read' | 'write' | 'admin'

/**
 * One route of the API. The daemon validates requests and replies with it, the OpenAPI document is generated from it, and
 * the client takes its types from it.
 */
export interface Contract<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Reply extends z.ZodType = z.ZodType,
> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly url: string
  /** A path that still works. The API document does not list it, because it is ambiguous with another path. */
  readonly earlier_url?: string
  readonly tag: string
  readonly summary: string
  readonly privilege: Privilege
  readonly params: Params
  readonly query: Query
  readonly body: Body
  readonly reply: Reply
  /** The status of a successful reply. */
  readonly status: number
  /** The status of a successful reply for work that has not ended yet. The reply has the same schema. */
  readonly pending_status?: number
  readonly fails: readonly FailureCode[]
  /** What a reply may wait for beside the daemon, and how long at most after the time that the request itself names. */
  readonly waits?: Wait
  /** An event stream: `reply` describes the data of each event. */
  readonly stream: boolean
  /** Content type of a reply that is not JSON. */
  readonly media?: string
  readonly body_limit?: number
  /** The reply contains a secret and is not stored for repeated requests. */
  readonly secret?: boolean
  /** The parts of a multipart/form-data body. The handler reads them as a stream. */
  readonly form?: z.ZodType
}

export interface Wait {
  readonly for: string
  readonly at_most_ms: number
}

export type AnyContract = Contract

type NoFields = z.ZodObject<Record<never, z.ZodType>>

interface RouteParts<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, R extends z.ZodType> {
  method: Contract['method']
  url: string
  earlier_url?: string
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
  waits?: Wait
  stream?: boolean
  media?: string
  body_limit?: number
  secret?: boolean
  form?: z.ZodType
}

export function route<
  R extends z.ZodType,
  P extends z.ZodType = NoFields,
  Q extends z.ZodType = NoFields,
  B extends z.ZodType = NoFields,
>(parts: RouteParts<P, Q, B, R>): Contract<P, Q, B, R> {
  const noFields = z.object({})
  return {
    status: 200,
    fails: [],
    stream: false,
    ...parts,
    // The casts match the defaults of the type parameters.
    params: parts.params ?? (noFields as unknown as P),
    query: parts.query ?? (noFields as unknown as Q),
    body: parts.body ?? (noFields as unknown as B),
  }
}

/** The failures that a route may return in addition to its own list. */
export const listCommonFailures = (contract: AnyContract): FailureCode[] => [
  'INVALID_REQUEST',
  'HOST_NOT_ALLOWED',
  'INTERNAL_ERROR',
  // A read may write too: it ends what has expired.
  ...(contract.method === 'GET' && contract.privilege === 'open'
    ? []
    : (['STORAGE_FULL', 'STORE_UNAVAILABLE'] as const)),
  ...(contract.privilege === 'open' ? [] : (['UNAUTHENTICATED', 'AUTH_UNAVAILABLE'] as const)),
  ...(contract.privilege === 'open' ? [] : (['RATE_LIMITED'] as const)),
  ...(contract.privilege === 'write' || contract.privilege === 'admin'
    ? (['FORBIDDEN', 'ORIGIN_NOT_ALLOWED'] as const)
    : []),
  ...(contract.method === 'GET' ? [] : (['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const)),
  ...(contract.method === 'GET' || contract.privilege === 'open' ? [] : (['IDEMPOTENCY_CONFLICT'] as const)),
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

/** All paths of a route. */
export const listUrls = ({ url, earlier_url }: AnyContract): string[] =>
  earlier_url === undefined ? [url] : [url, earlier_url]
