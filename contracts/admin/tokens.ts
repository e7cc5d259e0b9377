import { z } from 'zod'
import { DateTime, requestBody, SchemaVersion, text, Uuid } from '../base/fields.ts'
import { route } from '../base/route.ts'

export const TokenPrivilege = z.enum(['read', 'write', 'admin'])

export const AccessToken = z
  .object({
    token_id: Uuid,
    user_id: z.string().max(160),
    label: z.string().max(120),
    privilege: TokenPrivilege,
    ability_tools: z.boolean().describe('Whether each usable ability is offered as an MCP tool of its own'),
    created_at: DateTime,
    revoked_at: DateTime.optional(),
    schema_version: SchemaVersion,
  })
  .meta({ id: 'AccessToken' })
export type AccessToken = z.infer<typeof AccessToken>

export const Login = z
  .object({
    login_id: Uuid,
    user_id: z.string().max(160),
    privilege: TokenPrivilege,
    token_id: Uuid.nullable().describe(
      'The token that opened the login; null for the token the daemon was started with',
    ),
    current: z.boolean().describe('Whether this request was sent with the login'),
    created_at: DateTime,
    expires_at: DateTime,
    schema_version: SchemaVersion,
  })
  .meta({ id: 'Login' })
export type Login = z.infer<typeof Login>

const TAG = 'access'

export const listTokens = route({
  method: 'GET',
  url: '/api/tokens',
  tag: TAG,
  summary: 'List tokens without their secrets',
  privilege: 'admin',
  reply: z.object({ tokens: z.array(AccessToken), schema_version: SchemaVersion }),
})

export const createToken = route({
  method: 'POST',
  url: '/api/tokens',
  tag: TAG,
  summary: 'Create a token; its secret is returned only once',
  privilege: 'admin',
  body: requestBody({
    user_id: z.string().regex(/^[A-Za-z0-9._@-]{1,160}$/),
    label: text(120),
    privilege: TokenPrivilege.default('write'),
    ability_tools: AccessToken.shape.ability_tools.default(true),
  }),
  reply: z.object({ token: AccessToken, secret: z.string(), schema_version: SchemaVersion }),
  status: 201,
  secret: true,
})

export const changeToken = route({
  method: 'PATCH',
  url: '/api/tokens/:tokenId',
  tag: TAG,
  summary: 'Change the settings of a token; open MCP sessions are told',
  privilege: 'admin',
  params: z.object({ tokenId: Uuid }),
  body: requestBody({ ability_tools: AccessToken.shape.ability_tools }),
  reply: z.object({ token: AccessToken, schema_version: SchemaVersion }),
  fails: ['TOKEN_NOT_FOUND'],
})

export const revokeToken = route({
  method: 'DELETE',
  url: '/api/tokens/:tokenId',
  tag: TAG,
  summary: 'Revoke a token and end at once the logins, login codes, sign-ins, streams and requests it opened',
  privilege: 'admin',
  params: z.object({ tokenId: Uuid }),
  reply: z.object({ revoked: z.literal(true) }),
  fails: ['TOKEN_NOT_FOUND'],
})

export const createLoginCode = route({
  method: 'POST',
  url: '/api/login-codes',
  tag: TAG,
  summary: 'Create a one-time code that opens the dashboard in a browser',
  privilege: 'write',
  body: requestBody({}),
  reply: z.object({ code: z.string(), login_url: z.string(), expires_at: DateTime }),
  status: 201,
  secret: true,
})

export const listLogins = route({
  method: 'GET',
  url: '/api/logins',
  tag: TAG,
  summary: 'List browser logins: your own, or those of all users with admin privilege',
  privilege: 'read',
  reply: z.object({ logins: z.array(Login), schema_version: SchemaVersion }),
})

export const endLogin = route({
  method: 'DELETE',
  url: '/api/logins/:loginId',
  tag: TAG,
  summary: 'End a browser login and at once the login codes, streams and requests it opened',
  privilege: 'write',
  params: z.object({ loginId: Uuid }),
  reply: z.object({ ended: z.literal(true) }),
  fails: ['LOGIN_NOT_FOUND'],
})
