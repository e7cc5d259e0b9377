import { type LookupAddress, type LookupAllOptions, lookup as resolveName } from 'node:dns'
import { type LookupFunction, isIP } from 'node:net'
import { Agent, fetch as sendRequest } from 'undici'
import { isAddressAllowed } from '../knowledge/connectors/endpoint-rules.ts'

/** The address of a server, or of what it redirects to, is not allowed. */
export class AddressNotAllowed extends Error {}

const MAX_REDIRECTS = 3
const REDIRECTS = new Set([301, 302, 303, 307, 308])

/** Asks for all addresses of a name. */
type ResolveName = (
  hostname: string,
  options: LookupAllOptions,
  done: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void

export interface GuardedFetch {
  readonly fetch: typeof fetch
  close(): Promise<void>
}

/** Servers that close unused sockets earlier say so. */
const UNUSED_SOCKET_MS = 15_000

/**
 * A `fetch` that connects only to allowed addresses. The addresses of a name are checked when it is resolved for the
 * connection, and the connection is made to those, so a name that later leads elsewhere is refused too. Redirects are
 * followed within the same origin only.
 */
export function createGuardedFetch(allowedHosts: readonly string[], resolve: ResolveName = resolveName): GuardedFetch {
  const connect = { lookup: createLookup(allowedHosts, resolve) }
  const agent = new Agent({ connect, keepAliveTimeout: UNUSED_SOCKET_MS })
  const send = async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    let url = new URL(input instanceof Request ? input.url : input)
    for (let redirects = 0; ; redirects += 1) {
      assertLiteral(url.hostname, allowedHosts)
      const options = { ...init, redirect: 'manual', dispatcher: agent } as Parameters<typeof sendRequest>[1]
      const reply = (await sendRequest(url, options)) as unknown as Response
      const location = reply.headers.get('location')
      if (!REDIRECTS.has(reply.status) || location === null) return reply
      const next = new URL(location, url)
      await reply.body?.cancel()
      if (next.origin !== url.origin) throw new AddressNotAllowed(`The server redirects to ${next.host}.`)
      if (redirects >= MAX_REDIRECTS) throw new AddressNotAllowed('The server redirects too often.')
      url = next
    }
  }
  return { fetch: send, close: () => agent.close() }
}

/** An address that is written in the URL is not looked up, so it is checked apart. */
function assertLiteral(hostname: string, allowedHosts: readonly string[]): void {
  const address = hostname.replace(/^\[/, '').replace(/\]$/, '')
  if (isIP(address) !== 0 && !isAddressAllowed(hostname, address, allowedHosts)) throw refuse(hostname)
}

const createLookup =
  (allowedHosts: readonly string[], resolve: ResolveName): LookupFunction =>
  (hostname, options, done) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return done(error, '')
      if (!addresses.every(({ address }) => isAddressAllowed(hostname, address, allowedHosts))) {
        return done(refuse(hostname), '')
      }
      const [first] = addresses
      if (options.all === true) return done(null, addresses)
      return first === undefined ? done(refuse(hostname), '') : done(null, first.address, first.family)
    })
  }

const refuse = (hostname: string): AddressNotAllowed =>
  new AddressNotAllowed(`${hostname} leads to an address that is not allowed.`)
