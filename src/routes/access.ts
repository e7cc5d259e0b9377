import { randomBytes } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import {
  type AccessToken,
  createLoginCode,
  createToken,
  listTokens,
  revokeToken,
} from '@apprentice/contracts/admin/tokens.ts'
import { Failure } from '../failure/failure.ts'
import { sha256 } from '../http/access.ts'
import { cookieName } from '../http/request-guards.ts'
import { mounting } from '../http/mount.ts'
import * as tokens from '../store/config/tokens.ts'
import type { System } from '../daemon/system.ts'

export function accessRoutes(app: FastifyInstance, { commands, access }: System): void {
  const on = mounting(app)
  on(listTokens)(() => ({
    tokens: commands.read((reader) => tokens.listTokens(reader).map(withoutHash)),
    schema_version: 1,
  }))

  on(createToken)(async (asked) => {
    const secret = `apr_${randomBytes(32).toString('base64url')}`
    const token = await commands.command(asked, (ctx) => {
      const { user_id, label, privilege } = asked.body
      const created = {
        token_id: ctx.newId(),
        user_id,
        label,
        privilege,
        created_at: ctx.now,
      } as const
      tokens.insertToken(ctx.tx, { ...created, token_sha256: sha256(secret), schema_version: 1 })
      return created
    })
    access.reload()
    return { token: { ...token, schema_version: 1 }, secret, schema_version: 1 }
  })

  on(revokeToken)(async (asked) => {
    await commands.command(asked, (ctx) => {
      if (!tokens.revokeToken(ctx.tx, asked.params.tokenId, ctx.now)) {
        throw new Failure('TOKEN_NOT_FOUND', 'No such token in force.')
      }
      return {}
    })
    access.reload()
    return { revoked: true }
  })

  on(createLoginCode)(({ caller, headers }) => {
    const { code, expires_at } = access.issueLoginCode(caller)
    return { code, login_url: `http://${headers.host}/login?code=${code}`, expires_at }
  })

  // Not a contract: a page for a browser, which gets a cookie and moves on to the dashboard.
  app.get<{ Querystring: { code?: unknown } }>('/login', async (request, reply) => {
    const { code } = request.query
    const secret = typeof code === 'string' ? await access.redeemLoginCode(code) : undefined
    if (secret === undefined) {
      throw new Failure(
        'LOGIN_CODE_INVALID',
        'This login link is used or too old; ask for a new one.',
      )
    }
    return reply
      .header(
        'set-cookie',
        `${cookieName}=${secret}; HttpOnly; SameSite=Strict; Path=/; Max-Age=43200`,
      )
      .redirect('/', 303)
  })
}

function withoutHash({ token_sha256: _, ...token }: tokens.StoredToken): AccessToken {
  return token
}
