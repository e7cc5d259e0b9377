import type { AuthorizationServer } from 'oauth4webapi'
import { z } from 'zod'

const SHARED = /\/(?:common|organizations|consumers)\/v2\.0$/
const TENANT = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

const Claims = z.object({ iss: z.string(), tid: z.string().regex(TENANT) })

/**
 * The authorization server as its id token names it. An address that is shared by all tenants of Microsoft gives tokens
 * of the tenant of the person. Its issuer must be the same address with that tenant in it, as the token says.
 */
export async function acceptTenantIssuer(as: AuthorizationServer, reply: Response): Promise<AuthorizationServer> {
  if (!SHARED.test(as.issuer)) return as
  const claims = await readClaims(reply.clone())
  if (claims === undefined) return as
  const expected = as.issuer.replace(SHARED, `/${claims.tid}/v2.0`)
  return claims.iss === expected ? { ...as, issuer: expected } : as
}

async function readClaims(reply: Response): Promise<z.infer<typeof Claims> | undefined> {
  const body: unknown = await reply.json().catch(() => undefined)
  const token = z.object({ id_token: z.string() }).safeParse(body).data?.id_token.split('.')[1] ?? ''
  try {
    return Claims.safeParse(JSON.parse(Buffer.from(token, 'base64url').toString('utf8'))).data
  } catch {
    return undefined
  }
}
