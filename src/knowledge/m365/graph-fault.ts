import { z } from 'zod'

/** Why Microsoft Graph, or a request to it, did not give a result. It contains nothing that the server wrote as text. */
export interface GraphFaultFacts {
  readonly reason_code: string
  readonly message: string
  readonly http_status?: number | undefined
  readonly retry_after_ms?: number | undefined
  /** The code of the error body. */
  readonly graph_code?: string | undefined
  /** The id by which Microsoft finds the request. */
  readonly request_id?: string | undefined
  /** Whether the server works and only this request was wrong. */
  readonly is_answer?: boolean | undefined
}

const ErrorBody = z.object({
  error: z.object({
    code: z.string(),
    innerError: z.object({ 'request-id': z.string().optional(), requestId: z.string().optional() }).optional(),
  }),
})
const CODE = /^[A-Za-z][A-Za-z0-9_.]{0,79}$/
const REQUEST_ID = /^[0-9A-Za-z-]{1,64}$/

interface Meaning {
  readonly reason_code: string
  readonly message: string
  readonly is_answer?: boolean
}

const NOT_FOUND: Meaning = {
  reason_code: 'graph_not_found',
  message: 'Microsoft Graph does not know what the request names.',
  is_answer: true,
}
const FORBIDDEN: Meaning = {
  reason_code: 'graph_forbidden',
  message: 'The signed-in identity may not do this.',
  is_answer: true,
}
const CONFLICT: Meaning = {
  reason_code: 'graph_conflict',
  message: 'The item was changed meanwhile or exists already.',
  is_answer: true,
}
const LOCKED: Meaning = { reason_code: 'graph_locked', message: 'The item is locked.', is_answer: true }
const FULL: Meaning = {
  reason_code: 'graph_quota_exceeded',
  message: 'The storage of the account is full.',
  is_answer: true,
}
const INVALID: Meaning = {
  reason_code: 'graph_invalid_request',
  message: 'Microsoft Graph does not accept the request.',
  is_answer: true,
}
const TOO_LARGE: Meaning = {
  reason_code: 'graph_too_large',
  message: 'The request is too large for Microsoft Graph.',
  is_answer: true,
}

const MEANINGS: Readonly<Record<number, Meaning>> = {
  400: INVALID,
  401: { reason_code: 'graph_unauthorized', message: 'Microsoft Graph does not accept the token.' },
  403: FORBIDDEN,
  404: NOT_FOUND,
  409: CONFLICT,
  410: NOT_FOUND,
  412: CONFLICT,
  413: TOO_LARGE,
  423: LOCKED,
  429: { reason_code: 'graph_throttled', message: 'Microsoft Graph asks for a pause.' },
  503: { reason_code: 'graph_unavailable', message: 'Microsoft Graph is not available now.' },
  507: FULL,
}

/** Codes that say more than the status. */
const CODES: Readonly<Record<string, Meaning>> = {
  ErrorItemNotFound: NOT_FOUND,
  itemNotFound: NOT_FOUND,
  ErrorInvalidIdMalformed: INVALID,
  ErrorAccessDenied: FORBIDDEN,
  accessDenied: FORBIDDEN,
  Authorization_RequestDenied: FORBIDDEN,
  ErrorQuotaExceeded: FULL,
  quotaLimitReached: FULL,
  resourceLocked: LOCKED,
  nameAlreadyExists: CONFLICT,
}

export interface GraphReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
}

/** What a reply other than 2xx means. `now` is in milliseconds. */
export function describeReply({ status, headers, body }: GraphReply, now: number): GraphFaultFacts {
  const { error } = ErrorBody.safeParse(body).data ?? {}
  const graph_code = error !== undefined && CODE.test(error.code) ? error.code : undefined
  const named = error?.innerError?.['request-id'] ?? error?.innerError?.requestId ?? headers['request-id']
  return {
    ...findMeaning(status, graph_code),
    http_status: status,
    retry_after_ms: readPause(headers['retry-after'], now),
    graph_code,
    request_id: named !== undefined && REQUEST_ID.test(named) ? named : undefined,
  }
}

/** The status decides about the token and pauses, and else the code if it is known. */
function findMeaning(status: number, code: string | undefined): Meaning {
  const isDecided = status === 401 || status === 429 || (status >= 500 && status !== 507)
  const byCode = code === undefined || isDecided || !Object.hasOwn(CODES, code) ? undefined : CODES[code]
  return byCode ?? MEANINGS[status] ?? describeOther(status)
}

function describeOther(status: number): Meaning {
  const reason_code = `graph_http_${status}`
  const message = `Microsoft Graph answered with ${status}.`
  return status < 500 ? { reason_code, message, is_answer: true } : { reason_code, message }
}

const LONGEST_PAUSE_MS = 24 * 3_600_000

/** The pause that a server asks for, in seconds or until a date. */
function readPause(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined
  const pause = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now
  return Number.isFinite(pause) && pause >= 0 ? Math.min(pause, LONGEST_PAUSE_MS) : undefined
}
