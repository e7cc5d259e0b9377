import { allowInsecureRequests, customFetch } from 'oauth4webapi'
import { findEndpointFault, isLoopbackName } from '../../knowledge/connectors/endpoint-rules.ts'
import { AddressNotAllowed, createGuardedFetch } from '../guarded-fetch.ts'
import { limitReply } from '../limited-reply.ts'

const REQUEST_MS = 20_000
/** Documents and tokens of authorization servers are small. */
const LARGEST_REPLY = { bytes: 1 << 20, depth: 64 }

/** What requests to an authorization server need. */
export interface OAuthNetwork {
  readonly fetch: typeof fetch
  /** Options for the functions of the OAuth library. */
  readonly options: {
    readonly [customFetch]: (url: string, init: object) => Promise<Response>
    readonly [allowInsecureRequests]: true
  }
  close(): Promise<void>
}

/**
 * Opens the network for the sign-in to a server. Addresses come from documents of the server, so each is judged by the
 * rules for servers, and a server elsewhere cannot name an address of this machine.
 */
export function openOAuthNetwork(
  endpointUrl: string | undefined,
  allowedHosts: readonly string[],
  closing: AbortSignal,
): OAuthNetwork {
  const guarded = createGuardedFetch(allowedHosts)
  const mayUseLoopback = endpointUrl !== undefined && isLoopbackName(new URL(endpointUrl).hostname)
  const send = (async (input: string | URL | Request, init: RequestInit = {}) => {
    const url = new URL(input instanceof Request ? input.url : input)
    const fault = findEndpointFault({ transport: 'remote_http', endpoint_url: url.href }, allowedHosts)
    if (fault !== undefined || (isLoopbackName(url.hostname) && !mayUseLoopback)) {
      throw new AddressNotAllowed(`The address of the authorization server on ${url.host} is not allowed.`)
    }
    const signal = AbortSignal.any([AbortSignal.timeout(REQUEST_MS), closing])
    return limitReply(await guarded.fetch(url, { ...init, signal }), LARGEST_REPLY)
  }) as typeof fetch
  // The address was judged above; plain HTTP is left for this machine only.
  return {
    fetch: send,
    options: { [customFetch]: (url, init) => send(url, init), [allowInsecureRequests]: true },
    close: () => guarded.close(),
  }
}
