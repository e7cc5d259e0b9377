import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { AccessToken } from '@apprentice/contracts/admin/tokens.ts'
import type { Store } from '../store/db/db.ts'
import { deleteExpiredLogins, insertLogin, listLogins, listTokens } from '../store/config/tokens.ts'

/** Who a request speaks for. */
export interface Caller {
  readonly user_id: string
  /** Who really asks, when it is an operator in somebody's name. */
  readonly by?: string
  readonly privilege: AccessToken['privilege']
  /** What rate and stream limits are counted against. */
  readonly key: string
  readonly via: 'token' | 'cookie'
  /** The only route it may ask, for one that was lent to a program. */
  readonly only?: string | undefined
}

interface Known {
  readonly digest: Buffer
  readonly caller: Caller
  readonly expires_at?: string
}

interface LoginCode {
  readonly caller: Caller
  readonly expires_ms: number
}

const loginLifeMs = 12 * 3_600_000
const codeLifeMs = 15 * 60_000

/** Tokens, browser logins and one-time codes. Only hashes are kept, here and in the database. */
export class Access {
  readonly #store: Store
  readonly #clock: () => Date
  readonly #bootstrap: Known | undefined
  #tokens = new Map<string, Known>()
  #logins = new Map<string, Known>()
  readonly #codes = new Map<string, LoginCode>()
  readonly #lent = new Map<string, Known>()

  constructor(store: Store, clock: () => Date, bootstrapSecret: string | undefined) {
    this.#store = store
    this.#clock = clock
    this.#bootstrap =
      bootstrapSecret === undefined
        ? undefined
        : known(sha256(bootstrapSecret), {
            user_id: 'local',
            privilege: 'admin',
            key: 'bootstrap',
            via: 'token',
          })
    this.reload()
  }

  /** Reads the tables again; called after a token was issued or revoked. */
  reload(): void {
    const now = this.#clock().toISOString()
    this.#store.read((reader) => {
      this.#tokens = new Map(
        listTokens(reader)
          .filter((token) => token.revoked_at === undefined)
          .map(({ token_sha256, token_id, user_id, privilege }) => [
            token_sha256,
            known(token_sha256, { user_id, privilege, key: token_id, via: 'token' }),
          ]),
      )
      if (this.#bootstrap !== undefined) {
        this.#tokens.set(this.#bootstrap.digest.toString('hex'), this.#bootstrap)
      }
      this.#logins = new Map(
        listLogins(reader, now).map(({ cookie_sha256, user_id, privilege, expires_at }) => [
          cookie_sha256,
          {
            ...known(cookie_sha256, { user_id, privilege, key: cookie_sha256, via: 'cookie' }),
            expires_at,
          },
        ]),
      )
    })
  }

  get isEmpty(): boolean {
    return this.#tokens.size === 0
  }

  byToken(secret: string): Caller | undefined {
    return (confirm(this.#tokens, secret) ?? confirm(this.#lent, secret))?.caller
  }

  /** A token for one route, good until it is taken back or the daemon stops. */
  issueScopedToken(caller: Omit<Caller, 'via'> & { readonly only: string }): {
    secret: string
    takeBack: () => void
  } {
    const secret = `run_${randomBytes(32).toString('base64url')}`
    const digest = sha256(secret)
    this.#lent.set(digest, known(digest, { ...caller, via: 'token' }))
    return { secret, takeBack: () => this.#lent.delete(digest) }
  }

  byCookie(secret: string): Caller | undefined {
    const found = confirm(this.#logins, secret)
    const alive = found?.expires_at !== undefined && found.expires_at > this.#clock().toISOString()
    return alive ? found.caller : undefined
  }

  /** A code that opens the dashboard once, with the caller's own privilege. */
  issueLoginCode(caller: Pick<Caller, 'user_id' | 'privilege'>): {
    code: string
    expires_at: string
  } {
    const code = randomBytes(18).toString('base64url')
    const expires_ms = this.#clock().getTime() + codeLifeMs
    this.#codes.set(sha256(code), {
      caller: { ...caller, key: 'login', via: 'cookie' },
      expires_ms,
    })
    return { code, expires_at: new Date(expires_ms).toISOString() }
  }

  /** Exchanges a code for a cookie's secret; undefined when the code is unknown, used or too old. */
  async redeemLoginCode(code: string): Promise<string | undefined> {
    const digest = sha256(code)
    const found = this.#codes.get(digest)
    this.#codes.delete(digest)
    const now = this.#clock()
    if (found === undefined || found.expires_ms <= now.getTime()) return undefined
    const secret = randomBytes(32).toString('base64url')
    await this.#store.write((tx) => {
      deleteExpiredLogins(tx, now.toISOString())
      insertLogin(tx, {
        cookie_sha256: sha256(secret),
        user_id: found.caller.user_id,
        privilege: found.caller.privilege,
        created_at: now.toISOString(),
        expires_at: new Date(now.getTime() + loginLifeMs).toISOString(),
      })
    })
    this.reload()
    return secret
  }
}

export const sha256 = (secret: string): string => hash('sha256', secret, 'hex')

const known = (digest: string, caller: Caller): Known => ({
  digest: Buffer.from(digest, 'hex'),
  caller,
})

/** The map finds the candidate by hash; the comparison that decides takes the same time for any input. */
function confirm(among: ReadonlyMap<string, Known>, secret: string): Known | undefined {
  const digest = sha256(secret)
  const found = among.get(digest)
  return found !== undefined && timingSafeEqual(found.digest, Buffer.from(digest, 'hex'))
    ? found
    : undefined
}
