import { type AuthorizationServer, discoveryRequest, processDiscoveryResponse } from 'oauth4webapi'
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
  readonly scopes_supported: readonly string[]
}

type Profile = Pick<AuthProfile, 'provider' | 'tenant_id'>

/** The authorization servers of providers that publish none for their tools. */
const PROVIDER_SERVERS: Partial<Record<Profile['provider'], (profile: Profile) => AuthorizationServer>> = {
  m365: ({ tenant_id = 'common' }) => {
    const base = `https://login.microsoftonline.com/${encodeURIComponent(tenant_id)}/oauth2/v2.0`
    return {
      issuer: `https://login.microsoftonline.com/${encodeURIComponent(tenant_id)}/v2.0`,
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

export async function discoverAuthorizationServer(
  profile: Profile,
  endpointUrl: string | undefined,
  network: OAuthNetwork,
): Promise<Discovered> {
  const known = PROVIDER_SERVERS[profile.provider]
  if (known !== undefined) return { as: known(profile), scopes_supported: [] }
  if (endpointUrl === undefined) {
    throw new OAuthFault('no_authorization_server', 'The server has no address at which it names one.')
  }
  const resource = await findResource(new URL(endpointUrl), network)
  const issuer = new URL(resource?.authorization_servers?.[0] ?? new URL(endpointUrl).origin)
  const as = await discoverIssuer(issuer, network)
  assertUsable(as)
  return { as, resource: resource?.resource, scopes_supported: resource?.scopes_supported ?? [] }
}

/** The metadata that the server names when it refuses a request, else those at the well-known addresses. */
async function findResource(endpoint: URL, network: OAuthNetwork): Promise<ResourceMetadata | undefined> {
  const path = endpoint.pathname === '/' ? '' : endpoint.pathname
  const named = await findNamedMetadata(endpoint, network)
  const places = [named, `/.well-known/oauth-protected-resource${path}`, '/.well-known/oauth-protected-resource']
  for (const place of places.filter((one) => one !== undefined)) {
    const url = new URL(place, endpoint)
    if (url.origin !== endpoint.origin) continue
    const found = await asOAuthFault(() => readMetadata(url, network))
    if (found !== undefined && describes(found, endpoint)) return found
  }
  return undefined
}

async function findNamedMetadata(endpoint: URL, network: OAuthNetwork): Promise<string | undefined> {
  const reply = await asOAuthFault(() => network.fetch(endpoint, { headers: { accept: 'text/event-stream' } }))
  await reply.body?.cancel()
  const found = parseChallenge(reply.headers.get('www-authenticate') ?? '')['resource_metadata']
  return found !== undefined && URL.canParse(found) ? found : undefined
}

async function readMetadata(url: URL, network: OAuthNetwork): Promise<ResourceMetadata | undefined> {
  const reply = await network.fetch(url, { headers: { accept: 'application/json' } })
  if (reply.status !== 200) {
    await reply.body?.cancel()
    return undefined
  }
  return ResourceMetadata.safeParse(await reply.json().catch(() => undefined)).data
}

/** Whether the metadata are about this server: its address, or a folder above it. */
function describes({ resource }: ResourceMetadata, endpoint: URL): boolean {
  const { origin, pathname } = new URL(resource)
  const folder = pathname.endsWith('/') ? pathname : `${pathname}/`
  return origin === endpoint.origin && `${endpoint.pathname}/`.startsWith(folder)
}

async function discoverIssuer(issuer: URL, network: OAuthNetwork): Promise<AuthorizationServer> {
  let last: unknown
  for (const algorithm of ['oauth2', 'oidc'] as const) {
    try {
      return await asOAuthFault(async () =>
        processDiscoveryResponse(issuer, await discoveryRequest(issuer, { algorithm, ...network.options })),
      )
    } catch (error) {
      last = error
      if (error instanceof OAuthFault && error.reason_code === 'address_not_allowed') break
    }
  }
  throw last
}

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
