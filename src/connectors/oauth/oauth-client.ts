import {
  type AuthorizationServer,
  type Client,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  dynamicClientRegistrationRequest,
  None,
  processDynamicClientRegistrationResponse,
} from 'oauth4webapi'
import { isLoopbackName } from '../../knowledge/connectors/endpoint-rules.ts'
import { asOAuthFault, OAuthFault } from './oauth-fault.ts'
import type { OAuthNetwork } from './oauth-network.ts'

/** How the daemon identifies itself to an authorization server. It is kept in the vault. */
export interface OAuthClient {
  readonly client_id: string
  readonly client_secret?: string | undefined
  readonly issuer: string
  readonly redirect_uri?: string | undefined
}

export interface ClientRequest {
  readonly client_id?: string | undefined
  readonly client_secret?: string | undefined
  /** The client that was registered earlier. */
  readonly registered?: OAuthClient | undefined
  /** A document that an administrator publishes about this client. */
  readonly metadata_url?: string | undefined
  readonly redirect_uri: string
}

/** The client of the profile, else the published one, else the one registered earlier, else a new one. */
export async function chooseClient(
  as: AuthorizationServer,
  request: ClientRequest,
  network: OAuthNetwork,
): Promise<OAuthClient> {
  const { client_id, client_secret, registered, metadata_url, redirect_uri } = request
  const { issuer } = as
  if (client_id !== undefined) return { client_id, client_secret, issuer, redirect_uri }
  if (metadata_url !== undefined && as['client_id_metadata_document_supported'] === true) {
    return { client_id: metadata_url, issuer, redirect_uri }
  }
  if (registered?.issuer === issuer && registered.redirect_uri === redirect_uri) return registered
  if (as.registration_endpoint === undefined) {
    throw new OAuthFault('client_id_required', 'The authorization server registers no clients. Set client_id.')
  }
  return registerClient(as, request, network)
}

/** No scopes are named, so that a later sign-in may ask for more. */
async function registerClient(
  as: AuthorizationServer,
  { redirect_uri }: ClientRequest,
  network: OAuthNetwork,
): Promise<OAuthClient> {
  const metadata = {
    client_name: 'Apprentice',
    redirect_uris: [redirect_uri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    application_type: isLoopbackName(new URL(redirect_uri).hostname) ? 'native' : 'web',
  }
  const { client_id, client_secret } = await asOAuthFault(async () =>
    processDynamicClientRegistrationResponse(await dynamicClientRegistrationRequest(as, metadata, network.options)),
  )
  const secret = typeof client_secret === 'string' ? client_secret : undefined
  return { client_id, client_secret: secret, issuer: as.issuer, redirect_uri }
}

/** The client and its authentication, in the form that the OAuth library expects. */
export function toLibraryClient(
  { client_id, client_secret }: OAuthClient,
  as: AuthorizationServer,
): { client: Client; auth: ClientAuth } {
  const client: Client = { client_id }
  if (client_secret === undefined) return { client, auth: None() }
  const methods = as.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
  const auth = methods.includes('client_secret_basic') ? ClientSecretBasic : ClientSecretPost
  return { client, auth: auth(client_secret) }
}
