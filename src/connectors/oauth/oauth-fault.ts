import { OperationProcessingError, ResponseBodyError } from 'oauth4webapi'
import { AddressNotAllowed } from '../guarded-fetch.ts'

/** Why an authorization server could not be used. It contains nothing that the server sent except its error code. */
export class OAuthFault extends Error {
  readonly reason_code: string

  constructor(reason_code: string, message: string) {
    super(message)
    this.reason_code = reason_code
  }

  /** Whether the code or the refresh token is not accepted any more, so that trying again is useless. */
  get isRefused(): boolean {
    return REFUSALS.has(this.reason_code)
  }
}

/** Codes after which only a person can go on. */
const REFUSALS: ReadonlySet<string> = new Set(['invalid_grant', 'interaction_required', 'consent_required'])
const ERROR_CODE = /^[a-z_]{1,60}$/

/** Runs a request to an authorization server and turns what went wrong into a fault. */
export async function asOAuthFault<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw toOAuthFault(error)
  }
}

function toOAuthFault(error: unknown): OAuthFault {
  if (error instanceof OAuthFault) return error
  for (let at = error; at instanceof Error; at = at.cause) {
    if (at instanceof AddressNotAllowed) return new OAuthFault('address_not_allowed', at.message)
  }
  if (error instanceof ResponseBodyError) {
    const code = ERROR_CODE.test(error.error) ? error.error : 'oauth_error'
    return new OAuthFault(code, `The authorization server answered ${code}.`)
  }
  if (error instanceof OperationProcessingError) {
    return new OAuthFault('invalid_response', 'The answer of the authorization server is not valid.')
  }
  return new OAuthFault('unreachable', 'The authorization server could not be reached.')
}
