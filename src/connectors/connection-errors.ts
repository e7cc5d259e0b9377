import { ProtocolError, SdkHttpError, UnauthorizedError } from '@modelcontextprotocol/client'
import type { ContactFault } from '../knowledge/connectors/contact-finding.ts'
import { AddressNotAllowed } from './guarded-fetch.ts'
import { ReplyTooLarge } from './limited-reply.ts'

const [BAD_REQUEST, NOT_FOUND] = [400, 404]
/** Replies of a server that works: it refuses the request or asks for a pause. */
const ANSWERS: readonly (number | undefined)[] = [401, 403, 429, 503]

const LONGEST_PAUSE_MS = 24 * 3_600_000

/** Why a contact failed. `refused` are the headers of the reply that refused a request, if one did. */
export function describeFault(error: unknown, signal: AbortSignal, refused?: Headers): ContactFault {
  const retry_after_ms = readPause(refused?.get('retry-after') ?? undefined)
  const fault = nameFault(error, signal)
  return retry_after_ms === undefined ? fault : { ...fault, retry_after_ms }
}

/** The pause that a server asks for, in milliseconds. */
function readPause(header: string | undefined): number | undefined {
  if (header === undefined) return undefined
  const pause = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now()
  return Number.isFinite(pause) && pause >= 0 ? Math.min(pause, LONGEST_PAUSE_MS) : undefined
}

/** Messages of servers may contain anything, so only what the daemon knows itself is passed on. */
function nameFault(error: unknown, signal: AbortSignal): ContactFault {
  if (signal.aborted) return { reason_code: 'timeout', message: 'The server did not answer in time.' }
  const cause = findCause(error, AddressNotAllowed)
  if (cause !== undefined) return { reason_code: 'address_not_allowed', message: cause.message }
  if (findCause(error, ReplyTooLarge) !== undefined) {
    return { reason_code: 'reply_too_large', message: 'The server answered with more than the daemon reads.' }
  }
  if (findCause(error, UnauthorizedError) !== undefined) {
    return { reason_code: 'unauthorized', message: 'The server asks for a sign-in.', http_status: 401 }
  }
  const http = findCause(error, SdkHttpError)
  if (http !== undefined) {
    const http_status = readStatus(http)
    const reason_code = http_status === undefined ? 'http_error' : `http_${http_status}`
    return { reason_code, message: `The server answered with ${http_status ?? 'an error'}.`, http_status }
  }
  return { reason_code: 'unreachable', message: 'The server could not be reached or does not speak MCP.' }
}

/** Whether the server answered, so that its connection can be used further. */
export function isAnswer(error: unknown): boolean {
  if (findCause(error, ProtocolError) !== undefined) return true
  const http = findCause(error, SdkHttpError)
  return http !== undefined && ANSWERS.includes(readStatus(http))
}

/** Whether the server does not know the session of a request any more. It has not taken the request then. */
export function isSessionLost(error: unknown): boolean {
  const http = findCause(error, SdkHttpError)
  const status = http === undefined ? undefined : readStatus(http)
  return status === NOT_FOUND || status === BAD_REQUEST
}

function findCause<T extends Error>(error: unknown, kind: abstract new (...args: never[]) => T): T | undefined {
  for (let at = error; at instanceof Error; at = at.cause) if (at instanceof kind) return at
  return undefined
}

function readStatus(error: SdkHttpError): number | undefined {
  const { status } = error.data as { readonly status?: unknown }
  return typeof status === 'number' && status >= 100 && status <= 599 ? status : undefined
}
