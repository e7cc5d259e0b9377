import { randomBytes } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import {
  type AccessToken,
  changeToken,
  createLoginCode,
  createToken,
  endLogin,
  listLogins,
  listTokens,
  revokeToken,
} from '@apprentice/contracts/admin/tokens.ts'
import { Failure } from '../failure/failure.ts'
import { hashSecret } from '../http/access.ts'
import { acceptsPage } from '../http/page-requests.ts'
import { COOKIE_NAME, findCallerByCookie } from '../http/request-guards.ts'
import { mountContract } from '../http/contract-routes.ts'
import * as tokens from '../store/config/tokens.ts'
import type { System } from '../daemon/system.ts'

export function accessRoutes(app: FastifyInstance, { commands, access }: System): void {
  const on = mountContract(app)
  on(listTokens)(() => ({
    tokens: commands.read((reader) => tokens.listTokens(reader).map(withoutHash)),
    schema_version: 1,
  }))

  on(createToken)(async (request) => {
    const secret = `apr_${randomBytes(32).toString('base64url')}`
    const token = await commands.command(request, (ctx) => {
      const { user_id, label, privilege, ability_tools } = request.body
      const created = {
        token_id: ctx.newId(),
        user_id,
        label,
        privilege,
        ability_tools,
        created_at: ctx.now,
      } as const
      tokens.insertToken(ctx.tx, {
        ...created,
        token_sha256: hashSecret(secret),
        schema_version: 1,
      })
      return created
    })
    access.reload()
    return { token: { ...token, schema_version: 1 }, secret, schema_version: 1 }
  })

  on(changeToken)(async (request) => {
    const { tokenId } = request.params
    const token = await commands.command(request, (ctx) => {
      const changed = tokens.changeToken(ctx.tx, tokenId, request.body.ability_tools)
      if (changed === undefined) throw new Failure('TOKEN_NOT_FOUND', 'No active token has this id.')
      return withoutHash(changed)
    })
    access.reload()
    access.announceSettings(tokenId)
    return { token, schema_version: 1 }
  })

  on(revokeToken)(async (request, reply) => {
    const { tokenId } = request.params
    await commands.command(request, (ctx) => {
      if (!tokens.revokeToken(ctx.tx, tokenId, ctx.now)) {
        throw new Failure('TOKEN_NOT_FOUND', 'No active token has this id.')
      }
      tokens.deleteLoginsOfToken(ctx.tx, tokenId)
      return {}
    })
    access.reload(reply.raw)
    return { revoked: true }
  })

  on(listLogins)(({ caller }) => ({ logins: access.listLogins(caller), schema_version: 1 }))

  on(endLogin)(async (request, reply) => {
    const { loginId } = request.params
    await commands.command(request, (ctx) => {
      const known = access.listLogins(request.caller).some(({ login_id }) => login_id === loginId)
      if (!known || !tokens.deleteLogin(ctx.tx, loginId)) {
        throw new Failure('LOGIN_NOT_FOUND', 'You have no active login with this id.')
      }
      return {}
    })
    access.reload(reply.raw)
    return { ended: true }
  })

  on(createLoginCode)(({ caller, headers }) => {
    const { code, expires_at } = access.issueLoginCode(caller)
    return { code, login_url: `http://${headers.host}/login?code=${code}`, expires_at }
  })

  // Not a contract: a page for browsers. It sets a cookie and redirects to the dashboard.
  app.get<{ Querystring: { code?: unknown } }>('/login', async (request, reply) => {
    const { code } = request.query
    const secret = typeof code === 'string' ? await access.redeemLoginCode(code) : undefined
    if (secret === undefined && acceptsPage(request)) {
      const isLoggedIn = findCallerByCookie(request.headers, access) !== undefined
      // Without a login the page says that the link is used up, and how to get a new one.
      return isLoggedIn ? reply.redirect('/', 303) : app.sendPage(request, reply)
    }
    if (secret === undefined) {
      throw new Failure(
        'LOGIN_CODE_INVALID',
        'This login link was used or has expired. Get a new one with `apprentice token login`.',
      )
    }
    return reply
      .header('set-cookie', `${COOKIE_NAME}=${secret}; HttpOnly; SameSite=Strict; Path=/; Max-Age=43200`)
      .redirect('/', 303)
  })
}

function withoutHash({ token_sha256: _, ...token }: tokens.StoredToken): AccessToken {
  return token
}
