import { hash, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto'
import type { AccessToken, Login } from '@apprentice/contracts/admin/tokens.ts'
import { connectHost, putHostContent } from '@apprentice/contracts/devices/hosts.ts'
import type { Store } from '../store/db/db.ts'
import { type DeviceHostRow, listDeviceHosts } from '../store/devices/device-hosts.ts'
import {
  deleteExpiredLogins,
  deleteSurplusLogins,
  insertLogin,
  listLogins,
  listTokens,
  type LoginRow,
} from '../store/config/tokens.ts'
import { OpenRequests, type OpenResponse } from './open-requests.ts'

/** The authenticated sender of a request. */
export interface Caller {
  readonly user_id: string
  /** The admin, when an admin acts in the name of `user_id`. */
  readonly by?: string
  readonly privilege: AccessToken['privilege']
  /** The user by whom rate and streams are counted. It stays the admin when an admin acts for another user. */
  readonly principal: string
  /** Identifies the token, login or skill run. */
  readonly key: string
  /** The token itself, or the token that opened the login. Its policy profile applies. */
  readonly token_id?: string | undefined
  readonly via: 'token' | 'cookie'
  /** The only routes a scoped token or a device host may call. */
  readonly only?: readonly string[] | undefined
  /** The device host that the token belongs to. */
  readonly host_id?: string | undefined
}

interface Credential {
  readonly digest: Buffer
  readonly caller: Caller
  /** The token that opened a login, or the token itself. */
  readonly token_sha256: string
  readonly expires_at?: string
}

interface LoginCode {
  readonly token_sha256: string
  readonly user_id: string
  readonly privilege: Caller['privilege']
  /** The key of the token or login that asked for the code. */
  readonly issuer: string
  readonly expires_ms: number
}

const LOGIN_TTL_MS = 12 * 3_600_000
const LOGIN_CODE_TTL_MS = 15 * 60_000
/** A user's unredeemed login codes. Beyond this number the oldest becomes invalid. */
const MAX_LOGIN_CODES_PER_USER = 100
/** A user's logins. Beyond this number the oldest ends. */
const MAX_LOGINS_PER_USER = 100

/** Tokens, browser logins and one-time login codes. Only hashes are stored, in memory and in the database. */
export class Access {
  readonly #store: Store
  readonly #clock: () => Date
  readonly #bootstrap: Credential | undefined
  #tokens = new Map<string, Credential>()
  #logins = new Map<string, Credential>()
  /** The keys of tokens whose MCP sessions have no tools for single abilities. */
  #withoutAbilityTools = new Set<string>()
  readonly #settingsListeners = new Set<(key: string) => void>()
  readonly #codes = new Map<string, LoginCode>()
  readonly #scoped = new Map<string, Credential>()
  #hosts = new Map<string, Credential>()
  readonly #open = new OpenRequests()

  constructor(store: Store, clock: () => Date, bootstrapSecret: string | undefined) {
    this.#store = store
    this.#clock = clock
    this.#bootstrap =
      bootstrapSecret === undefined
        ? undefined
        : toCredential(hashSecret(bootstrapSecret), {
            user_id: 'local',
            privilege: 'admin',
            principal: 'local',
            key: 'bootstrap',
            token_id: 'bootstrap',
            via: 'token',
          })
    this.reload()
  }

  /**
   * Reads the tables again, and ends what revoked tokens and ended or expired logins opened: their login codes, requests
   * and streams. Call it after a change. The request being answered still gets its reply.
   */
  reload(answering?: OpenResponse): void {
    const now = this.#clock().toISOString()
    this.#store.read((reader) => {
      const active = listTokens(reader).filter(({ revoked_at }) => revoked_at === undefined)
      const without = active.filter(({ ability_tools }) => !ability_tools)
      this.#withoutAbilityTools = new Set(without.map(({ token_id }) => token_id))
      this.#tokens = new Map(
        active.map(({ token_sha256, token_id, user_id, privilege }) => [
          token_sha256,
          toCredential(token_sha256, {
            user_id,
            privilege,
            principal: user_id,
            key: token_id,
            token_id,
            via: 'token',
          }),
        ]),
      )
      if (this.#bootstrap !== undefined) {
        this.#tokens.set(this.#bootstrap.digest.toString('hex'), this.#bootstrap)
      }
      this.#hosts = new Map(
        listDeviceHosts(reader)
          .filter(({ revoked_at }) => revoked_at === undefined)
          .map((host) => [host.token_sha256, toHostCredential(host)]),
      )
      const logins = listLogins(reader, now).flatMap((login): [string, Credential][] => {
        const token = this.#tokens.get(login.token_sha256)
        return token === undefined ? [] : [[login.cookie_sha256, toLoginCredential(login, token.caller.token_id)]]
      })
      this.#logins = new Map(logins)
    })
    this.#endInactive(answering)
  }

  get isEmpty(): boolean {
    return this.#tokens.size === 0
  }

  /** The number of login codes in memory. */
  get pendingLoginCodes(): number {
    return this.#codes.size
  }

  /** The owner of the token that the daemon was started with. */
  get bootstrapCaller(): Caller | undefined {
    return this.#bootstrap?.caller
  }

  findByToken(secret: string): Caller | undefined {
    return [this.#tokens, this.#scoped, this.#hosts]
      .map((credentials) => verifySecret(credentials, secret))
      .find((found) => found !== undefined)?.caller
  }

  /** Whether each usable ability is offered to the token as a tool of its own. */
  offersAbilities(key: string): boolean {
    return !this.#withoutAbilityTools.has(key)
  }

  onSettingsChanged(listener: (key: string) => void): void {
    this.#settingsListeners.add(listener)
  }

  announceSettings(key: string): void {
    for (const listener of this.#settingsListeners) listener(key)
  }

  /** Notes that a request of the caller is being answered, so that it ends with the caller's token or login. */
  trackRequest({ key }: Caller, response: OpenResponse): void {
    this.#open.add(key, response)
  }

  /** Issues a token for one route. It is valid until it is revoked or the daemon stops. */
  issueScopedToken(caller: Omit<Caller, 'via' | 'principal'> & { readonly only: readonly string[] }): {
    secret: string
    revoke: () => void
  } {
    const secret = `run_${randomBytes(32).toString('base64url')}`
    const digest = hashSecret(secret)
    this.#scoped.set(digest, toCredential(digest, { ...caller, principal: caller.user_id, via: 'token' }))
    return { secret, revoke: () => this.#scoped.delete(digest) }
  }

  findByCookie(secret: string): Caller | undefined {
    const found = verifySecret(this.#logins, secret)
    return found !== undefined && this.#isCurrent(found) ? found.caller : undefined
  }

  /** Issues a code that opens the dashboard once, with the privilege of the caller. It ends with the caller's token. */
  issueLoginCode({ user_id, privilege, key }: Caller): { code: string; expires_at: string } {
    const token_sha256 = this.#findToken(key)
    const code = randomBytes(18).toString('base64url')
    const now_ms = this.#clock().getTime()
    const expires_ms = now_ms + LOGIN_CODE_TTL_MS
    this.#removeCodes(user_id, now_ms)
    // A caller whose token was revoked meanwhile gets a code that opens nothing.
    if (token_sha256 !== undefined) {
      this.#codes.set(hashSecret(code), { token_sha256, user_id, privilege, issuer: key, expires_ms })
    }
    return { code, expires_at: new Date(expires_ms).toISOString() }
  }

  /** Exchanges a code for the secret of a cookie. Undefined when the code is unknown, used, expired or ended. */
  async redeemLoginCode(code: string): Promise<string | undefined> {
    const digest = hashSecret(code)
    const found = this.#codes.get(digest)
    this.#codes.delete(digest)
    const now = this.#clock()
    if (found === undefined || found.expires_ms <= now.getTime()) return undefined
    const { user_id, privilege, token_sha256 } = found
    const secret = randomBytes(32).toString('base64url')
    await this.#store.write((tx) => {
      deleteExpiredLogins(tx, now.toISOString())
      insertLogin(tx, {
        login_id: randomUUID(),
        cookie_sha256: hashSecret(secret),
        token_sha256,
        user_id,
        privilege,
        created_at: now.toISOString(),
        expires_at: new Date(now.getTime() + LOGIN_TTL_MS).toISOString(),
      })
      deleteSurplusLogins(tx, user_id, MAX_LOGINS_PER_USER)
    })
    this.reload()
    return secret
  }

  /** The active logins of a user, or of all users with admin privilege. */
  listLogins({ user_id, privilege, key }: Caller): Login[] {
    const now = this.#clock().toISOString()
    return this.#store.read((reader) =>
      listLogins(reader, now).flatMap(({ cookie_sha256: _, token_sha256, ...login }) => {
        const token = this.#tokens.get(token_sha256)
        if (token === undefined || (privilege !== 'admin' && login.user_id !== user_id)) return []
        const token_id = token === this.#bootstrap ? null : token.caller.key
        return [{ ...login, token_id, current: formatLoginKey(login.login_id) === key, schema_version: 1 }]
      }),
    )
  }

  #endInactive(answering: OpenResponse | undefined): void {
    const credentials = [
      ...this.#tokens.values(),
      ...this.#logins.values(),
      ...this.#scoped.values(),
      ...this.#hosts.values(),
    ]
    const active = new Set(credentials.filter((one) => this.#isCurrent(one)).map(({ caller }) => caller.key))
    for (const [digest, { issuer, token_sha256 }] of this.#codes) {
      if (!active.has(issuer) || !this.#tokens.has(token_sha256)) this.#codes.delete(digest)
    }
    this.#open.endInactive((key) => active.has(key), answering)
  }

  #isCurrent({ expires_at }: Credential): boolean {
    return expires_at === undefined || expires_at > this.#clock().toISOString()
  }

  /** The token behind the key of a token or of a login. */
  #findToken(key: string): string | undefined {
    const credentials = [...this.#tokens.values(), ...this.#logins.values()]
    return credentials.find(({ caller }) => caller.key === key)?.token_sha256
  }

  /** Removes expired codes, and the oldest codes of a user who has too many to get another. */
  #removeCodes(userId: string, nowMs: number): void {
    for (const [digest, { expires_ms }] of this.#codes) {
      if (expires_ms <= nowMs) this.#codes.delete(digest)
    }
    const own = [...this.#codes].filter(([, { user_id }]) => user_id === userId)
    const surplus = Math.max(0, own.length + 1 - MAX_LOGIN_CODES_PER_USER)
    for (const [digest] of own.slice(0, surplus)) this.#codes.delete(digest)
  }
}

const formatLoginKey = (loginId: string): string => `login:${loginId}`

export const hashSecret = (secret: string): string => hash('sha256', secret, 'hex')

const toCredential = (digest: string, caller: Caller): Credential => ({
  digest: Buffer.from(digest, 'hex'),
  caller,
  token_sha256: digest,
})

const toLoginCredential = (login: LoginRow, token_id: string | undefined): Credential => ({
  ...toCredential(login.cookie_sha256, {
    user_id: login.user_id,
    privilege: login.privilege,
    principal: login.user_id,
    key: formatLoginKey(login.login_id),
    token_id,
    via: 'cookie',
  }),
  token_sha256: login.token_sha256,
  expires_at: login.expires_at,
})

/** A device host may announce itself and send what its messages refer to, and nothing else. */
function toHostCredential({ host_id, name, token_sha256 }: DeviceHostRow): Credential {
  const key = `host:${host_id}`
  return toCredential(token_sha256, {
    user_id: `host:${name}`,
    privilege: 'write',
    principal: key,
    key,
    via: 'token',
    only: [connectHost.url, putHostContent.url],
    host_id,
  })
}

/** The map finds the candidate by its hash. The comparison that decides takes constant time. */
function verifySecret(credentials: ReadonlyMap<string, Credential>, secret: string): Credential | undefined {
  const digest = hashSecret(secret)
  const found = credentials.get(digest)
  return found !== undefined && timingSafeEqual(found.digest, Buffer.from(digest, 'hex')) ? found : undefined
}
