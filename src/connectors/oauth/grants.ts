import {
  type AuthorizationServer,
  authorizationCodeGrantRequest,
  calculatePKCECodeChallenge,
  clientCredentialsGrantRequest,
  genericTokenEndpointRequest,
  getValidatedIdTokenClaims,
  processAuthorizationCodeResponse,
  processClientCredentialsResponse,
  processGenericTokenEndpointResponse,
  processRefreshTokenResponse,
  processRevocationResponse,
  refreshTokenGrantRequest,
  revocationRequest,
  type TokenEndpointResponse,
  validateAuthResponse,
} from 'oauth4webapi'
import type { TokenGrant } from '../../knowledge/connectors/token-grant.ts'
import { type OAuthClient, toLibraryClient } from './oauth-client.ts'
import { asOAuthFault, OAuthFault } from './oauth-fault.ts'
import { acceptTenantIssuer } from './tenant-issuer.ts'
import type { OAuthNetwork } from './oauth-network.ts'

/** The authorization server, the client and the resource of a grant. */
export interface GrantContext {
  readonly as: AuthorizationServer
  readonly client: OAuthClient
  readonly resource?: string | undefined
}

interface PageRequest {
  readonly redirect_uri: string
  readonly scopes: readonly string[]
  readonly state: string
  readonly verifier: string
}

/** The address of the page on which a person signs in. */
export async function buildSignInUrl({ as, client, resource }: GrantContext, request: PageRequest): Promise<string> {
  const { redirect_uri, scopes, state, verifier } = request
  const url = new URL(as.authorization_endpoint ?? '')
  const parameters = {
    response_type: 'code',
    client_id: client.client_id,
    redirect_uri,
    state,
    code_challenge: await calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...(scopes.length === 0 ? {} : { scope: scopes.join(' ') }),
    // A refresh token is given for this scope only after the person agreed to it.
    ...(scopes.includes('offline_access') ? { prompt: 'consent' } : {}),
    ...(resource === undefined ? {} : { resource }),
  }
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return url.href
}

interface CodeRequest {
  readonly code: string
  readonly state: string
  readonly iss?: string | undefined
  readonly redirect_uri: string
  readonly verifier: string
}

export const exchangeCode = (
  { as, client: known, resource }: GrantContext,
  { code, state, iss, redirect_uri, verifier }: CodeRequest,
  network: OAuthNetwork,
): Promise<TokenGrant> =>
  asOAuthFault(async () => {
    const { client, auth } = toLibraryClient(known, as)
    const brought = new URLSearchParams({ code, state, ...(iss === undefined ? {} : { iss }) })
    const checked = validateAuthResponse(as, client, brought, state)
    const reply = await authorizationCodeGrantRequest(as, client, auth, checked, redirect_uri, verifier, {
      ...network.options,
      additionalParameters: toResource(resource),
    })
    return toGrant(await processAuthorizationCodeResponse(await acceptTenantIssuer(as, reply), client, reply))
  })

export const refreshTokens = (
  { as, client: known, resource }: GrantContext,
  refreshToken: string,
  network: OAuthNetwork,
): Promise<TokenGrant> =>
  asOAuthFault(async () => {
    const { client, auth } = toLibraryClient(known, as)
    const reply = await refreshTokenGrantRequest(as, client, auth, refreshToken, {
      ...network.options,
      additionalParameters: toResource(resource),
    })
    return toGrant(await processRefreshTokenResponse(await acceptTenantIssuer(as, reply), client, reply))
  })

export const requestServiceToken = (
  { as, client: known, resource }: GrantContext,
  scopes: readonly string[],
  network: OAuthNetwork,
): Promise<TokenGrant> =>
  asOAuthFault(async () => {
    if (known.client_secret === undefined) {
      throw new OAuthFault('client_secret_required', 'The vault has no secret for this client. Set secret_ref.')
    }
    const { client, auth } = toLibraryClient(known, as)
    const parameters = { ...(scopes.length === 0 ? {} : { scope: scopes.join(' ') }), ...toResource(resource) }
    const reply = await clientCredentialsGrantRequest(as, client, auth, parameters, network.options)
    return toGrant(await processClientCredentialsResponse(as, client, reply))
  })

const ON_BEHALF_OF = 'urn:ietf:params:oauth:grant-type:jwt-bearer'

/** Exchanges a token that a person gave to a service for one that acts for the person elsewhere. */
export const exchangeAssertion = (
  { as, client: known }: GrantContext,
  { assertion, scopes }: { readonly assertion: string; readonly scopes: readonly string[] },
  network: OAuthNetwork,
): Promise<TokenGrant> =>
  asOAuthFault(async () => {
    if (known.client_secret === undefined) {
      throw new OAuthFault('client_secret_required', 'The vault has no secret for this client. Set secret_ref.')
    }
    const { client, auth } = toLibraryClient(known, as)
    const parameters = { assertion, requested_token_use: 'on_behalf_of', scope: scopes.join(' ') }
    const reply = await genericTokenEndpointRequest(as, client, auth, ON_BEHALF_OF, parameters, network.options)
    const accepting = await acceptTenantIssuer(as, reply)
    return toGrant(await processGenericTokenEndpointResponse(accepting, client, reply))
  })

export const revokeToken = ({ as, client: known }: GrantContext, token: string, network: OAuthNetwork): Promise<void> =>
  asOAuthFault(async () => {
    if (as.revocation_endpoint === undefined) {
      throw new OAuthFault('revocation_not_supported', 'The authorization server cannot revoke tokens.')
    }
    const { client, auth } = toLibraryClient(known, as)
    await processRevocationResponse(await revocationRequest(as, client, auth, token, network.options))
  })

const toResource = (resource: string | undefined): Record<string, string> =>
  resource === undefined ? {} : { resource }

function toGrant(reply: TokenEndpointResponse): TokenGrant {
  const { access_token, refresh_token, expires_in, scope } = reply
  return {
    access_token,
    refresh_token,
    expires_in_s: expires_in,
    scopes: scope?.split(/\s+/).filter(Boolean),
    subject: getValidatedIdTokenClaims(reply)?.sub,
  }
}
