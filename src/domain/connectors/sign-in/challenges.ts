import { type ChallengeRow, listOpenChallenges, upsertChallenge } from '../../../store/connectors/challenges.ts'
import type { CommandContext } from '../../command/context.ts'
import { recordEvent } from '../../command/ledger.ts'
import { recordConnectorReceipt } from '../registry/receipts.ts'

const CHALLENGE_TTL_MS = 15 * 60_000

type ChallengeParts = Pick<ChallengeRow, 'server_id' | 'auth_profile_id' | 'kind'> & {
  readonly scopes: readonly string[]
}

/** Records that a person has to sign in, or to agree to more scopes. An open challenge of the same kind is reused. */
export function openChallenge(
  ctx: CommandContext,
  { server_id, auth_profile_id, kind, scopes }: ChallengeParts,
): ChallengeRow {
  const open = listOpenChallenges(ctx.tx, server_id).find(
    (one) => one.kind === kind && one.auth_profile_id === auth_profile_id && one.expires_at > ctx.now,
  )
  const missing = scopes.filter((scope) => open?.scopes.includes(scope) !== true)
  if (open !== undefined && missing.length === 0) return open
  const challenge: ChallengeRow = {
    challenge_id: open?.challenge_id ?? ctx.newId(),
    server_id,
    auth_profile_id,
    kind,
    scopes: [...(open?.scopes ?? []), ...missing],
    status: 'open',
    created_at: open?.created_at ?? ctx.now,
    expires_at: new Date(Date.parse(ctx.now) + CHALLENGE_TTL_MS).toISOString(),
    updated_at: ctx.now,
  }
  upsertChallenge(ctx.tx, challenge)
  const summary = kind === 'reauth' ? 'A person has to sign in again.' : 'A person has to agree to more scopes.'
  recordConnectorReceipt(ctx, 'auth_challenge', { server_id, auth_profile_id, status: 'blocked', summary })
  recordChallenge(ctx, challenge)
  return challenge
}

/** A sign-in settles the challenges of its profile. */
export function resolveChallenges(ctx: CommandContext, authProfileId: string): void {
  for (const challenge of listOpenChallenges(ctx.tx)) {
    if (challenge.auth_profile_id === authProfileId) setChallengeStatus(ctx, challenge, 'resolved')
  }
}

export function setChallengeStatus(
  ctx: CommandContext,
  challenge: ChallengeRow,
  status: ChallengeRow['status'],
): ChallengeRow {
  const updated = { ...challenge, status, updated_at: ctx.now }
  upsertChallenge(ctx.tx, updated)
  recordChallenge(ctx, updated)
  return updated
}

/** Ends challenges that nobody answered in time. Returns how many. */
export function expireChallenges(ctx: CommandContext): number {
  const overdue = listOpenChallenges(ctx.tx).filter(({ expires_at }) => expires_at <= ctx.now)
  for (const challenge of overdue) setChallengeStatus(ctx, challenge, 'expired')
  return overdue.length
}

function recordChallenge(ctx: CommandContext, { server_id, challenge_id, status }: ChallengeRow): void {
  recordEvent(ctx, `connector/${server_id}`, 'mcp.challenge.changed', { challenge_id, status })
}
