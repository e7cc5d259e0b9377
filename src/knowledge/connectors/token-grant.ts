/** What an authorization server granted. */
export interface TokenGrant {
  readonly access_token: string
  readonly refresh_token?: string | undefined
  readonly expires_in_s?: number | undefined
  /** Absent if they are those that were asked for. */
  readonly scopes?: readonly string[] | undefined
  /** Who signed in, if the server says so. */
  readonly subject?: string | undefined
}

/** What a sign-in profile records about its tokens. */
export interface GrantFacts {
  readonly scopes_granted: string[]
  readonly expires_at?: string | undefined
  readonly refresh_at?: string | undefined
  readonly status: 'healthy' | 'challenge_required'
}

const LONGEST_MARGIN_MS = 5 * 60_000
const MARGIN_SHARE = 0.1
const LONGEST_SCOPE = 160
const PERSON_SCOPES = ['openid', 'profile', 'email']

/** Refreshes are due a tenth of the lifetime before the token expires, at most five minutes. */
export function describeGrant(
  grant: TokenGrant,
  { requested, wanted, now }: { requested: readonly string[]; wanted: readonly string[]; now: string },
): GrantFacts {
  const given = new Set(grant.scopes ?? requested)
  // Not every server lists this scope: the refresh token shows it.
  if (grant.refresh_token !== undefined && requested.includes('offline_access')) given.add('offline_access')
  // The same holds for scopes about the person, which the server shows by naming them.
  if (grant.subject !== undefined) for (const scope of PERSON_SCOPES) if (requested.includes(scope)) given.add(scope)
  const scopes_granted = [...given].filter((scope) => scope.length <= LONGEST_SCOPE)
  const isComplete = wanted.every((scope) => scopes_granted.includes(scope))
  const status = isComplete ? 'healthy' : 'challenge_required'
  if (grant.expires_in_s === undefined) return { scopes_granted, status }
  const lifetime = grant.expires_in_s * 1000
  const expires = Date.parse(now) + lifetime
  const margin = Math.min(LONGEST_MARGIN_MS, lifetime * MARGIN_SHARE)
  const format = (time: number): string => new Date(time).toISOString()
  return { scopes_granted, status, expires_at: format(expires), refresh_at: format(expires - margin) }
}
