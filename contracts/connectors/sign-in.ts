import { z } from 'zod'
import { DateTime, SchemaVersion, strictRequestBody, Uuid } from '../base/fields.ts'
import { route } from '../base/route.ts'
import { ServerAuthStatus } from './server.ts'
import { AuthProfileId, Scope, ServerId } from './values.ts'

const TAG = 'connectors'
const serverParams = z.object({ serverId: ServerId })
/** A text that an authorization server chose. */
const ForeignText = z
  .string()
  .max(2000)
  .refine((text) => !text.includes('\0'), 'must not contain a NUL character')

export const SignInStart = z
  .object({
    server_id: ServerId,
    auth_profile_id: AuthProfileId,
    auth_url: z.url().describe('The page on which a person signs in'),
    authorization_url: z.url().describe('The same address'),
    oauth_state_ref: z.string().max(240).describe('Names the sign-in; never the state itself'),
    pkce_verifier_ref: z.string().max(240).describe('Names an entry of the vault; never the verifier'),
    challenge_id: Uuid.optional(),
    correlation_id: z.string().max(200).optional(),
    expires_at: DateTime,
    schema_version: SchemaVersion,
  })
  .meta({ id: 'SignInStart' })
export type SignInStart = z.infer<typeof SignInStart>

export const startConnectorSignIn = route({
  method: 'POST',
  url: '/api/mcp/servers/:serverId/auth/start',
  tag: TAG,
  summary: 'Begin a sign-in to a server; a person opens the returned address within ten minutes',
  waits: { for: 'the servers that sign people in', at_most_ms: 120_000 },
  privilege: 'admin',
  params: serverParams,
  body: strictRequestBody({
    server_id: ServerId,
    requested_scopes_override: z.array(Scope).max(100).optional(),
    interactive_hint: z.enum(['same_window', 'popup', 'new_tab']).default('same_window'),
  }),
  reply: SignInStart,
  // The address contains the state, which is good for one sign-in.
  secret: true,
  fails: [
    'MCP_SERVER_NOT_FOUND',
    'MCP_SERVER_NOT_ACTIVE_IN_BUILD',
    'MCP_SERVER_DISABLED',
    'MCP_AUTH_PROFILE_REQUIRED',
    'MCP_OAUTH_TOKEN_EXCHANGE_FAILED',
  ],
})

export const finishConnectorSignIn = route({
  method: 'GET',
  url: '/api/mcp/servers/:serverId/auth/callback',
  tag: TAG,
  summary: 'Where the authorization server sends the browser back; browsers get a page that says how it ended',
  waits: { for: 'the servers that sign people in', at_most_ms: 60_000 },
  privilege: 'open',
  params: serverParams,
  query: z.object({
    code: z.string().min(1).max(4000).optional(),
    state: z.string().min(1).max(512),
    iss: ForeignText.optional(),
    error: z.string().max(160).optional(),
    error_description: ForeignText.optional(),
    error_uri: z.url().max(2000).optional(),
    session_state: z.string().max(512).optional(),
  }),
  reply: ServerAuthStatus,
  fails: [
    'MCP_SERVER_NOT_FOUND',
    'MCP_OAUTH_STATE_INVALID',
    'MCP_OAUTH_CALLBACK_EXPIRED',
    'MCP_OAUTH_TOKEN_EXCHANGE_FAILED',
    'FORBIDDEN',
  ],
})

export const refreshConnectorSignIn = route({
  method: 'POST',
  url: '/api/mcp/servers/:serverId/auth/refresh',
  tag: TAG,
  summary: 'Get a new token for a server; does nothing if the token is still good, unless `force` is set',
  waits: { for: 'the servers that sign people in', at_most_ms: 60_000 },
  privilege: 'admin',
  params: serverParams,
  body: strictRequestBody({ server_id: ServerId, force: z.boolean().default(false) }),
  reply: ServerAuthStatus,
  fails: [
    'MCP_SERVER_NOT_FOUND',
    'MCP_AUTH_PROFILE_REQUIRED',
    'MCP_OAUTH_REFRESH_NOT_ALLOWED',
    'MCP_OAUTH_TOKEN_EXCHANGE_FAILED',
  ],
})

export const revokeConnectorSignIn = route({
  method: 'POST',
  url: '/api/mcp/servers/:serverId/auth/revoke',
  tag: TAG,
  summary: 'Forget the tokens of a server, and tell the authorization server if `revoke_remote` is set',
  waits: { for: 'the servers that sign people in', at_most_ms: 60_000 },
  privilege: 'admin',
  params: serverParams,
  body: strictRequestBody({
    server_id: ServerId,
    revoke_remote: z.boolean().default(false),
    keep_auth_profile: z.boolean().default(true),
  }),
  reply: z.object({
    server_id: ServerId,
    revoked: z.boolean(),
    status: z.enum(['revoked', 'already_revoked', 'noop']),
    receipt_id: Uuid.optional(),
    schema_version: SchemaVersion,
  }),
  fails: ['MCP_SERVER_NOT_FOUND'],
})
