import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { AccessToken } from '@apprentice/contracts/admin/tokens.ts'
import type { Store } from '../store/db/db.ts'
import { deleteExpiredLogins, insertLogin, listLogins, listTokens } from '../store/config/tokens.ts'

/** The authenticated sender of a request. */
export interface Caller {
  readonly user_id: string
  /** The admin, when an admin acts in the name of `user_id`. */
  readonly by?: string
  readonly privilege: AccessToken['privilege']
  /** Rate and stream limits are counted per key. */
  readonly key: string
  readonly via: 'token' | 'cookie'
  /** The only route a scoped token may call. */
  readonly only?: string | undefined
}

interface Credential {
  readonly digest: Buffer
  readonly caller: Caller
  readonly expires_at?: string
}

interface LoginCode {
  readonly caller: Caller
  readonly expires_ms: number
}

const LOGIN_TTL_MS = 12 * 3_600_000
const LOGIN_CODE_TTL_MS = 15 * 60_000
/** A user's unredeemed login codes. Beyond this number the oldest becomes invalid. */
const MAX_LOGIN_CODES_PER_USER = 100

/** Tokens, browser logins and one-time login codes. Only hashes are stored, in memory and in the database. */
export class Access {
  readonly #store: Store
  readonly #clock: () => Date
  readonly #bootstrap: Credential | undefined
  #tokens = new Map<string, Credential>()
  #logins = new Map<string, Credential>()
  readonly #codes = new Map<string, LoginCode>()
  readonly #scoped = new Map<string, Credential>()

  constructor(store: Store, clock: () => Date, bootstrapSecret: string | undefined) {
    this.#store = store
    this.#clock = clock
    this.#bootstrap =
      bootstrapSecret === undefined
        ? undefined
        : toCredential(hashSecret(bootstrapSecret), {
            user_id: 'local',
            privilege: 'admin',
            key: 'bootstrap',
            via: 'token',
          })
    this.reload()
  }

  /** Reads the tables again. Call it after a token was issued or revoked. */
  reload(): void {
    const now = this.#clock().toISOString()
    this.#store.read((reader) => {
      this.#tokens = new Map(
        listTokens(reader)
          .filter((token) => token.revoked_at === undefined)
          .map(({ token_sha256, token_id, user_id, privilege }) => [
            token_sha256,
            toCredential(token_sha256, { user_id, privilege, key: token_id, via: 'token' }),
          ]),
      )
      if (this.#bootstrap !== undefined) {
        this.#tokens.set(this.#bootstrap.digest.toString('hex'), this.#bootstrap)
      }
      this.#logins = new Map(
        listLogins(reader, now).map(({ cookie_sha256, user_id, privilege, expires_at }) => [
          cookie_sha256,
          {
            ...toCredential(cookie_sha256, {
              user_id,
              privilege,
              key: cookie_sha256,
              via: 'cookie',
            }),
            expires_at,
          },
        ]),
      )
    })
  }

  get isEmpty(): boolean {
    return this.#tokens.size === 0
  }

  /** The number of login codes in memory. */
  get pendingLoginCodes(): number {
    return this.#codes.size
  }

  findByToken(secret: string): Caller | undefined {
    return (verifySecret(this.#tokens, secret) ?? verifySecret(this.#scoped, secret))?.caller
  }

  /** Issues a token for one route. It is valid until it is revoked or the daemon stops. */
  issueScopedToken(caller: Omit<Caller, 'via'> & { readonly only: string }): {
    secret: string
    revoke: () => void
  } {
    const secret = `run_${randomBytes(32).toString('base64url')}`
    const digest = hashSecret(secret)
    this.#scoped.set(digest, toCredential(digest, { ...caller, via: 'token' }))
    return { secret, revoke: () => this.#scoped.delete(digest) }
  }

  findByCookie(secret: string): Caller | undefined {
    const found = verifySecret(this.#logins, secret)
    const valid = found?.expires_at !== undefined && found.expires_at > this.#clock().toISOString()
    return valid ? found.caller : undefined
  }

  /** Issues a code that opens the dashboard once, with the privilege of the caller. */
  issueLoginCode(caller: Pick<Caller, 'user_id' | 'privilege'>): {
    code: string
    expires_at: string
  } {
    const code = randomBytes(18).toString('base64url')
    const now_ms = this.#clock().getTime()
    const expires_ms = now_ms + LOGIN_CODE_TTL_MS
    this.#removeCodes(caller.user_id, now_ms)
    this.#codes.set(hashSecret(code), {
      caller: { ...caller, key: 'login', via: 'cookie' },
      expires_ms,
    })
    return { code, expires_at: new Date(expires_ms).toISOString() }
  }

  /** Exchanges a code for the secret of a cookie. Undefined when the code is unknown, used or expired. */
  async redeemLoginCode(code: string): Promise<string | undefined> {
    const digest = hashSecret(code)
    const found = this.#codes.get(digest)
    this.#codes.delete(digest)
    const now = this.#clock()
    if (found === undefined || found.expires_ms <= now.getTime()) return undefined
    const secret = randomBytes(32).toString('base64url')
    await this.#store.write((tx) => {
      deleteExpiredLogins(tx, now.toISOString())
      insertLogin(tx, {
        cookie_sha256: hashSecret(secret),
        user_id: found.caller.user_id,
        privilege: found.caller.privilege,
        created_at: now.toISOString(),
        expires_at: new Date(now.getTime() + LOGIN_TTL_MS).toISOString(),
      })
    })
    this.reload()
    return secret
  }

  /** Removes expired codes, and the oldest codes of a user who has too many to get another. */
  #removeCodes(userId: string, nowMs: number): void {
    for (const [digest, { expires_ms }] of this.#codes) {
      if (expires_ms <= nowMs) this.#codes.delete(digest)
    }
    const own = [...this.#codes].filter(([, { caller }]) => caller.user_id === userId)
    const surplus = Math.max(0, own.length + 1 - MAX_LOGIN_CODES_PER_USER)
    for (const [digest] of own.slice(0, surplus)) this.#codes.delete(digest)
  }
}

export const hashSecret = (secret: string): string => hash('sha256', secret, 'hex')

const toCredential = (digest: string, caller: Caller): Credential => ({
  digest: Buffer.from(digest, 'hex'),
  caller,
})

/** The map finds the candidate by its hash. The comparison that decides takes constant time. */
function verifySecret(credentials: ReadonlyMap<string, Credential>, secret: string): Credential | undefined {
  const digest = hashSecret(secret)
  const found = credentials.get(digest)
  return found !== undefined && timingSafeEqual(found.digest, Buffer.from(digest, 'hex')) ? found : undefined
}
