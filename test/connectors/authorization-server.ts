import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type GrantCall, Provider } from 'oidc-provider'
import { onTestFinished } from 'vitest'
import type { WhenOver } from '../kit/phone-of-the-run.ts'
import type { ToolServer } from './tool-server.ts'

export const CLIENT_SECRET = 'marked-client-secret-5f1d'

/** An authorization server in a test. The person `ada` signs in to it and agrees to everything, unless told otherwise. */
export interface AuthorizationServer {
  readonly issuer: string
  /** The address without a path. */
  readonly origin: string
  readonly provider: Provider
  /** The scopes that the person agrees to. */
  allowed: readonly string[]
  /** What the person does instead of signing in. */
  refuses: boolean
  /** Requests to the token endpoint, by grant type. */
  readonly grants: string[]
  /** The token endpoint answers with this status instead. */
  tokenStatus: number | undefined
  /** Forgets every refresh token. */
  forget(): Promise<void>
  /** Called before the token endpoint answers. */
  beforeReply: () => Promise<void>
  /** Every access and refresh token that was given out. */
  readonly secrets: string[]
  /** The scopes of a token. Undefined: it is not valid. */
  findScopes(token: string): Promise<readonly string[] | undefined>
  /** Makes a server accept only tokens of this one. */
  protect(server: ToolServer, neededScopes?: readonly string[]): void
}

const SCOPES = ['openid', 'offline_access', 'notes.read', 'notes.write']

interface Options {
  readonly ttl_s?: number
  readonly rotates?: boolean
  /** Answers at the addresses of a tenant of Microsoft. Its scopes belong to no resource. */
  readonly microsoft?: { readonly tenant: string; readonly scopes: readonly string[] }
  /** The public key of a client that signs who it is, and the algorithm. Its id is `key-client`. */
  readonly client_key?: { readonly jwk: object; readonly alg: string }
  readonly whenOver?: WhenOver
}

export async function startAuthorizationServer(options: Options = {}): Promise<AuthorizationServer> {
  const { microsoft, whenOver = onTestFinished } = options
  const listener = createServer()
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  whenOver(async () => {
    listener.closeAllConnections()
    listener.close()
    await once(listener, 'close')
  })
  const origin = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`
  const issuer = microsoft === undefined ? origin : `${origin}/${microsoft.tenant}/v2.0`
  const tokenPath = microsoft === undefined ? '/token' : `/${microsoft.tenant}/oauth2/v2.0/token`
  const provider = new Provider(issuer, configure(options))
  if (microsoft !== undefined) allowOnBehalfOf(provider)
  const state: AuthorizationServer = {
    issuer,
    origin,
    provider,
    allowed: microsoft?.scopes ?? SCOPES,
    refuses: false,
    grants: [],
    secrets: [],
    tokenStatus: undefined,
    forget: async () => {
      for (const token of state.secrets) await (await provider.RefreshToken.find(token))?.destroy()
    },
    beforeReply: () => Promise.resolve(),
    findScopes: async (token) => {
      const { AccessToken, ClientCredentials } = provider
      const found = (await AccessToken.find(token)) ?? (await ClientCredentials.find(token))
      return found?.isValid === true ? (found.scope?.split(' ') ?? []) : undefined
    },
    protect: (server, neededScopes = []) => protectServer(state, server, neededScopes),
  }
  const answer = provider.callback()
  listener.on('request', (request, reply) => {
    if (request.url?.startsWith('/interaction/') === true) void interact(state, request, reply)
    else if (request.url === tokenPath && state.tokenStatus !== undefined) reply.writeHead(state.tokenStatus).end()
    else if (request.url === tokenPath) void answerToken(state, request, reply, answer)
    else answer(request, reply)
  })
  return state
}

function configure({ ttl_s = 3600, rotates = false, microsoft, client_key }: Options): object {
  const client = { client_secret: CLIENT_SECRET, token_endpoint_auth_method: 'client_secret_basic' }
  return {
    clients: [
      {
        ...client,
        client_id: 'known-client',
        application_type: 'native',
        redirect_uris: ['http://127.0.0.1/callback'],
        grant_types: ['authorization_code', 'refresh_token'],
      },
      {
        ...client,
        client_id: 'service-client',
        redirect_uris: [],
        response_types: [],
        grant_types: ['client_credentials'],
      },
      ...(client_key === undefined ? [] : [describeKeyClient(client_key)]),
      ...(microsoft === undefined
        ? []
        : [
            {
              ...client,
              client_id: 'chain-client',
              redirect_uris: [],
              response_types: [],
              grant_types: [ON_BEHALF_OF],
            },
          ]),
    ],
    scopes: microsoft?.scopes ?? SCOPES,
    ...(microsoft === undefined ? {} : { routes: tenantRoutes(microsoft.tenant) }),
    cookies: { keys: ['test'] },
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: true },
      revocation: { enabled: true },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({
          scope: 'notes.read notes.write',
          accessTokenFormat: 'opaque',
          accessTokenTTL: ttl_s,
        }),
      },
    },
    pkce: { required: () => true },
    rotateRefreshToken: rotates,
    issueRefreshToken: (_ctx: unknown, known: { grantTypeAllowed(type: string): boolean }) =>
      known.grantTypeAllowed('refresh_token'),
    expiresWithSession: () => false,
    interactions: { url: (_ctx: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    findAccount: (_ctx: unknown, id: string) => ({ accountId: id, claims: () => ({ sub: id }) }),
  }
}

const describeKeyClient = ({ jwk, alg }: NonNullable<Options['client_key']>): object => ({
  client_id: 'key-client',
  token_endpoint_auth_method: 'private_key_jwt',
  token_endpoint_auth_signing_alg: alg,
  jwks: { keys: [jwk] },
  redirect_uris: [],
  response_types: [],
  grant_types: ['client_credentials'],
})

const tenantRoutes = (tenant: string): object => ({
  authorization: `/${tenant}/oauth2/v2.0/authorize`,
  token: `/${tenant}/oauth2/v2.0/token`,
  jwks: `/${tenant}/discovery/v2.0/keys`,
})

const ON_BEHALF_OF = 'urn:ietf:params:oauth:grant-type:jwt-bearer'

/** Exchanges a token of a person for another one of the same person. */
function allowOnBehalfOf(provider: Provider): void {
  const parameters = ['assertion', 'requested_token_use', 'scope']
  const exchange = async (ctx: GrantCall): Promise<void> => {
    const { assertion = '', requested_token_use, scope } = ctx.oidc.params
    const given = await provider.AccessToken.find(assertion)
    if (given?.isValid !== true || requested_token_use !== 'on_behalf_of') {
      ctx.status = 400
      ctx.body = { error: 'invalid_grant' }
      return
    }
    const { accountId, grantId } = given
    const made = new provider.AccessToken({ accountId, grantId, client: ctx.oidc.client, scope, gty: 'on_behalf_of' })
    ctx.body = { access_token: await made.save(), expires_in: 3600, token_type: 'Bearer', scope }
  }
  provider.registerGrantType(ON_BEHALF_OF, exchange, parameters)
}

async function interact(state: AuthorizationServer, request: IncomingMessage, reply: ServerResponse): Promise<void> {
  const { provider, refuses, allowed } = state
  const { prompt, params, session } = await provider.interactionDetails(request, reply)
  if (refuses) {
    const refusal = { error: 'access_denied', error_description: 'The person said no.' }
    return provider.interactionFinished(request, reply, refusal)
  }
  if (prompt.name === 'login') return provider.interactionFinished(request, reply, { login: { accountId: 'ada' } })
  const grant = new provider.Grant({ accountId: session?.accountId, clientId: params.client_id })
  const keep = (scopes: readonly string[]): string => scopes.filter((scope) => allowed.includes(scope)).join(' ')
  const drop = (scopes: readonly string[]): string => scopes.filter((scope) => !allowed.includes(scope)).join(' ')
  const { missingOIDCScope = [] } = prompt.details
  grant.addOIDCScope(keep(missingOIDCScope))
  // A scope that is neither granted nor rejected would be asked for again.
  grant.rejectOIDCScope(drop(missingOIDCScope))
  for (const [resource, scopes] of Object.entries(prompt.details.missingResourceScopes ?? {})) {
    grant.addResourceScope(resource, keep(scopes))
    grant.rejectResourceScope(resource, drop(scopes))
  }
  await provider.interactionFinished(request, reply, { consent: { grantId: await grant.save() } })
}

/** Notes which grants are asked for and which tokens are given out. */
async function answerToken(
  state: AuthorizationServer,
  request: IncomingMessage,
  reply: ServerResponse,
  answer: (request: IncomingMessage, reply: ServerResponse) => void,
): Promise<void> {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  const end = reply.end.bind(reply)
  reply.end = ((body: string | Buffer) => {
    state.grants.push(new URLSearchParams(Buffer.concat(chunks).toString()).get('grant_type') ?? '')
    const { access_token, refresh_token } = JSON.parse(String(body)) as Record<string, string | undefined>
    state.secrets.push(...[access_token, refresh_token].filter((token) => token !== undefined))
    void state.beforeReply().then(() => end(body))
    return reply
  }) as typeof reply.end
  answer(request, reply)
}

function protectServer(state: AuthorizationServer, server: ToolServer, needed: readonly string[]): void {
  const metadata = new URL('/.well-known/oauth-protected-resource/mcp', server.url).href
  server.documents = {
    '/.well-known/oauth-protected-resource/mcp': {
      resource: server.url,
      authorization_servers: [state.issuer],
      scopes_supported: ['notes.read'],
    },
  }
  server.judge = async (authorization) => {
    const token = authorization?.replace(/^Bearer /, '') ?? ''
    const found = (await state.provider.AccessToken.find(token)) ?? (await state.provider.ClientCredentials.find(token))
    if (found?.isValid !== true) {
      return { status: 401, headers: { 'www-authenticate': `Bearer resource_metadata="${metadata}"` } }
    }
    const missing = needed.filter((scope) => found.scope?.split(' ').includes(scope) !== true)
    if (missing.length === 0) return undefined
    const challenge = `Bearer error="insufficient_scope", scope="${missing.join(' ')}"`
    return { status: 403, headers: { 'www-authenticate': challenge } }
  }
}

/** Opens the page of a sign-in as a browser would. Returns the address to which the person is sent back. */
export async function visitSignInPage(url: string, backTo: string): Promise<string> {
  const cookies = new Map<string, string>()
  let at = url
  for (let hops = 0; hops < 12; hops += 1) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const reply = await fetch(at, { redirect: 'manual', headers: { cookie } })
    for (const line of reply.headers.getSetCookie()) {
      const [pair = ''] = line.split(';')
      cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1))
    }
    const location = reply.headers.get('location')
    if (location === null) throw new Error(`The page answered ${reply.status}: ${await reply.text()}`)
    at = new URL(location, at).href
    if (at.startsWith(backTo)) return at
  }
  throw new Error('The sign-in does not end.')
}
