import { type AuthorizationServer, processDiscoveryResponse } from 'oauth4webapi'
import { z } from 'zod'
import type { AuthProfile } from '@apprentice/contracts/connectors/auth-profiles.ts'
import { findEndpointFault } from '../../knowledge/connectors/endpoint-rules.ts'
import { parseChallenge } from '../../knowledge/connectors/www-authenticate.ts'
import { asOAuthFault, OAuthFault } from './oauth-fault.ts'
import type { OAuthNetwork } from './oauth-network.ts'

const ResourceMetadata = z.object({
  resource: z.url().max(2000),
  authorization_servers: z.array(z.url().max(2000)).optional(),
  scopes_supported: z.array(z.string()).optional(),
})
type ResourceMetadata = z.infer<typeof ResourceMetadata>

/** The authorization server of a connector server, and what its tokens are for. */
export interface Discovered {
  readonly as: AuthorizationServer
  readonly resource?: string | undefined
  /** The scopes that the server asks for, else those that it lists. */
  readonly scopes: readonly string[]
}

const LONGEST_SCOPE = 160
/** Nothing is expected from this request but the demand for a token. */
const HELLO = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'apprentice', version: '1' } },
})

type Profile = Pick<AuthProfile, 'provider' | 'tenant_id'>

/** The authorization servers of providers that publish none for their tools. */
const PROVIDER_SERVERS: Partial<
  Record<Profile['provider'], (profile: Profile, loginUrl: string) => AuthorizationServer>
> = {
  m365: ({ tenant_id = 'common' }, loginUrl) => {
    const tenant = `${loginUrl.replace(/(?<!\/)\/+$/, '')}/${encodeURIComponent(tenant_id)}`
    const base = `${tenant}/oauth2/v2.0`
    return {
      issuer: `${tenant}/v2.0`,
      authorization_endpoint: `${base}/authorize`,
      token_endpoint: `${base}/token`,
    }
  },
  gmail_google: () => ({
    issuer: 'https://accounts.google.com',
    authorization_endpoint: 'https://accounts.google.com/o/oauth2/v2/auth',
    token_endpoint: 'https://oauth2.googleapis.com/token',
    revocation_endpoint: 'https://oauth2.googleapis.com/revoke',
    authorization_response_iss_parameter_supported: false,
  }),
}

export interface DiscoveryPlaces {
  /** The address of the connector server. */
  readonly endpoint_url: string | undefined
  /** Where people sign in to Microsoft 365. */
  readonly m365_login_url: string
}

export async function discoverAuthorizationServer(
  profile: Profile,
  { endpoint_url: endpointUrl, m365_login_url }: DiscoveryPlaces,
  network: OAuthNetwork,
): Promise<Discovered> {
  const known = PROVIDER_SERVERS[profile.provider]
  if (known !== undefined) return { as: known(profile, m365_login_url), scopes: [] }
  if (endpointUrl === undefined) {
    throw new OAuthFault('no_authorization_server', 'The server has no address at which it names one.')
  }
  const endpoint = new URL(endpointUrl)
  const asked = await readDemand(endpoint, network)
  const resource = await findResource(endpoint, asked.resource_metadata, network)
  const named = resource?.authorization_servers?.[0]
  // A server that describes no resource is of the revision 2025-03-26: it is its own authorization server.
  const as =
    resource === undefined
      ? ((await findMetadata(new URL(endpoint.origin), network, isSameOrigin)) ?? getDefaultServer(endpoint))
      : await findMetadata(new URL(named ?? endpoint.origin), network, isSameIssuer)
  if (as === undefined) throw new OAuthFault('no_metadata', 'The authorization server publishes no metadata.')
  return { as, resource: resource?.resource, scopes: asked.scopes ?? resource?.scopes_supported ?? [] }
}

/** The metadata that the server names when it refuses a request, else those at the well-known addresses. */
async function findResource(
  endpoint: URL,
  named: string | undefined,
  network: OAuthNetwork,
): Promise<ResourceMetadata | undefined> {
  const path = endpoint.pathname === '/' ? '' : endpoint.pathname
  const places = [named, `/.well-known/oauth-protected-resource${path}`, '/.well-known/oauth-protected-resource']
  for (const place of places.filter((one) => one !== undefined)) {
    const url = new URL(place, endpoint)
    if (url.origin !== endpoint.origin) continue
    const found = await asOAuthFault(() => readMetadata(url, network))
    if (found === undefined) continue
    if (describes(found, endpoint)) return found
    throw new OAuthFault('resource_mismatch', 'The server publishes metadata that are about another server.')
  }
  return undefined
}

interface Demand {
  readonly resource_metadata?: string | undefined
  readonly scopes?: string[] | undefined
}

/** What the server demands when it refuses a request without a token. Some refuse only requests that say something. */
async function readDemand(endpoint: URL, network: OAuthNetwork): Promise<Demand> {
  const accept = 'application/json, text/event-stream'
  const hello = { headers: { accept, 'content-type': 'application/json' }, method: 'POST', body: HELLO }
  for (const init of [{ headers: { accept: 'text/event-stream' } }, hello]) {
    const reply = await asOAuthFault(() => network.fetch(endpoint, init))
    await reply.body?.cancel()
    const header = reply.headers.get('www-authenticate')
    if (header === null) continue
    const { resource_metadata, scope } = parseChallenge(header)
    const isAddress = resource_metadata !== undefined && URL.canParse(resource_metadata)
    const scopes = scope?.split(/\s+/).filter((one) => one !== '' && one.length <= LONGEST_SCOPE)
    return { resource_metadata: isAddress ? resource_metadata : undefined, scopes }
  }
  return {}
}

const readMetadata = async (url: URL, network: OAuthNetwork): Promise<ResourceMetadata | undefined> =>
  ResourceMetadata.safeParse(await readDocument(url, network)).data

/** The JSON document at an address. Undefined if there is none. */
async function readDocument(url: URL, network: OAuthNetwork): Promise<unknown> {
  const reply = await network.fetch(url, { headers: { accept: 'application/json' } })
  if (reply.ok) return reply.json().catch(() => undefined)
  await reply.body?.cancel()
  return undefined
}

/** Whether the metadata are about this server: its address, or a folder above it. */
function describes({ resource }: ResourceMetadata, endpoint: URL): boolean {
  const { origin, pathname } = new URL(resource)
  const folder = pathname.endsWith('/') ? pathname : `${pathname}/`
  return origin === endpoint.origin && `${endpoint.pathname}/`.startsWith(folder)
}

/** Reads the metadata at the places where the specification puts them. Undefined if there are none. */
async function findMetadata(
  issuer: URL,
  network: OAuthNetwork,
  mayName: (named: URL, issuer: URL) => boolean,
): Promise<AuthorizationServer | undefined> {
  const path = issuer.pathname.replace(/\/$/, '')
  const places = new Set([
    `/.well-known/oauth-authorization-server${path}`,
    `/.well-known/openid-configuration${path}`,
    `${path}/.well-known/openid-configuration`,
  ])
  for (const place of places) {
    const found = await asOAuthFault(() => readDocument(new URL(place, issuer), network))
    if (found === undefined) continue
    const { data: named } = z.object({ issuer: z.url() }).safeParse(found)
    if (named === undefined || !mayName(new URL(named.issuer), issuer)) {
      throw new OAuthFault('invalid_response', 'The metadata of the authorization server name another one.')
    }
    const reply = Response.json(found)
    const as = await asOAuthFault(() => processDiscoveryResponse(new URL(named.issuer), reply))
    assertUsable(as)
    return as
  }
  return undefined
}

const isSameIssuer = (named: URL, issuer: URL): boolean => named.href === issuer.href
const isSameOrigin = (named: URL, issuer: URL): boolean => named.origin === issuer.origin

/** Servers of the revision 2025-03-26 may publish nothing. Their authorization server is then at fixed addresses. */
const getDefaultServer = ({ origin }: URL): AuthorizationServer => ({
  issuer: origin,
  authorization_endpoint: `${origin}/authorize`,
  token_endpoint: `${origin}/token`,
  registration_endpoint: `${origin}/register`,
})

/** A code without PKCE could be used by whoever sees it, so a server without S256 is not used. */
function assertUsable(as: AuthorizationServer): void {
  if (as.code_challenge_methods_supported?.includes('S256') !== true) {
    throw new OAuthFault('pkce_not_supported', 'The authorization server does not support PKCE with S256.')
  }
  const { authorization_endpoint } = as
  const isPage = authorization_endpoint !== undefined && URL.canParse(authorization_endpoint)
  const request = { transport: 'remote_http', endpoint_url: authorization_endpoint } as const
  if (!isPage || findEndpointFault(request, [new URL(authorization_endpoint).hostname]) !== undefined) {
    throw new OAuthFault('no_authorization_endpoint', 'The authorization server has no page to sign in.')
  }
}
