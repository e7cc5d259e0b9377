import {
  type AuthorizationServer,
  type Client,
  type ClientAuth,
  ClientSecretPost,
  dynamicClientRegistrationRequest,
  None,
} from 'oauth4webapi'
import { z } from 'zod'
import { isLoopbackName } from '../../knowledge/connectors/endpoint-rules.ts'
import { identifyByKey, isPrivateKey } from './client-key.ts'
import { asOAuthFault, OAuthFault } from './oauth-fault.ts'
import type { OAuthNetwork } from './oauth-network.ts'

/** How the daemon identifies itself to an authorization server. It is kept in the vault. */
export interface OAuthClient {
  readonly client_id: string
  readonly client_secret?: string | undefined
  readonly issuer: string
  readonly redirect_uri?: string | undefined
  /** How the authorization server said that the client identifies itself. */
  readonly auth_method?: string | undefined
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

/** Authorization servers answer in slightly different ways, so only what is needed is read. */
const Registration = z.object({
  client_id: z.string().min(1).max(2000),
  client_secret: z.string().min(1).max(4000).optional(),
  token_endpoint_auth_method: z.string().max(60).optional(),
})

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
    token_endpoint_auth_method: chooseMethod(as, false),
    application_type: isLoopbackName(new URL(redirect_uri).hostname) ? 'native' : 'web',
  }
  return asOAuthFault(async () => {
    const reply = await dynamicClientRegistrationRequest(as, metadata, network.options)
    const read = Registration.safeParse(await reply.json().catch(() => undefined))
    if (!reply.ok || !read.success) {
      throw new OAuthFault(
        'registration_refused',
        'The authorization server did not register the client. Set client_id.',
      )
    }
    const { client_id, client_secret, token_endpoint_auth_method: auth_method } = read.data
    return { client_id, client_secret, auth_method, issuer: as.issuer, redirect_uri }
  })
}

/** How a client identifies itself: as the server accepts it, without a secret if possible. */
function chooseMethod({ token_endpoint_auth_methods_supported: supported }: AuthorizationServer, hasSecret: boolean) {
  const wanted = hasSecret ? ['client_secret_basic', 'client_secret_post'] : ['none', 'client_secret_basic']
  const methods = supported ?? wanted
  return [...wanted, 'client_secret_post'].find((method) => methods.includes(method)) ?? 'client_secret_post'
}

/** The client and its authentication, in the form that the OAuth library expects. */
export function toLibraryClient(
  { client_id, client_secret, auth_method }: OAuthClient,
  as: AuthorizationServer,
): { client: Client; auth: ClientAuth } {
  const client: Client = { client_id }
  if (client_secret === undefined || auth_method === 'none') return { client, auth: None() }
  if (isPrivateKey(client_secret)) return { client, auth: identifyByKey(client_secret) }
  const method = auth_method ?? chooseMethod(as, true)
  return {
    client,
    auth: method === 'client_secret_basic' ? identifyBasic(client_secret) : ClientSecretPost(client_secret),
  }
}

/**
 * The library encodes more characters than the form encoding requires, which servers that decode nothing do not
 * understand.
 */
const identifyBasic =
  (secret: string): ClientAuth =>
  (_as, { client_id }, _body, headers) => {
    const encode = (text: string): string => new URLSearchParams({ text }).toString().slice('text='.length)
    headers.set('authorization', `Basic ${Buffer.from(`${encode(client_id)}:${encode(secret)}`).toString('base64')}`)
  }
