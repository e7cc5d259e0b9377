import type { ChallengeDecision, ChallengeResponse } from '@apprentice/contracts/connectors/challenges.ts'
import { Failure } from '../../failure/failure.ts'
import type { ApprovedScopes } from '../../knowledge/m365/scope-table.ts'
import { type ChallengeRow, findChallenge } from '../../store/connectors/challenges.ts'
import { deleteHealth, upsertServer } from '../../store/connectors/servers.ts'
import { deleteTools } from '../../store/connectors/tools.ts'
import type { CommandContext } from '../command/context.ts'
import { recordEvent } from '../command/ledger.ts'
import { setChallengeStatus } from './sign-in/challenges.ts'
import { checkServer } from './registry/m365-registrations.ts'
import { recordConnectorReceipt } from './registry/receipts.ts'
import { getServer } from './registry/server-view.ts'
import { assertProfile } from './servers.ts'
import { readServerAuth } from './sign-in/tokens.ts'

interface Response {
  readonly challenge_id: string
  readonly decision?: ChallengeDecision | undefined
  readonly action?: ChallengeDecision | undefined
  readonly selected_auth_profile_id?: string | undefined
}

const SETTLEMENTS = {
  approve: { status: 'approved', resolution: 'approved', next_step: 'await_user_signin' },
  retry: { status: 'retried', resolution: 'retried', next_step: 'retry_connection' },
  deny: { status: 'denied', resolution: 'denied', next_step: 'closed' },
} as const

/** Records what a person decided about a challenge. Approving is followed by a sign-in. */
export function answerChallenge(ctx: CommandContext, response: Response, approved: ApprovedScopes): ChallengeResponse {
  const decision = readDecision(response)
  const challenge = findChallenge(ctx.tx, response.challenge_id)
  if (challenge === undefined) throw new Failure('MCP_CHALLENGE_NOT_FOUND', 'There is no such challenge.')
  const { server_id } = challenge
  const isOpen = challenge.status === 'open' || challenge.status === 'approved'
  if (!isOpen || challenge.expires_at <= ctx.now) return refuse(ctx, challenge, isOpen)
  const selected = response.selected_auth_profile_id
  if (selected !== undefined) selectProfile(ctx, { serverId: server_id, auth_profile_id: selected }, approved)
  const { status, resolution, next_step } = SETTLEMENTS[decision]
  setChallengeStatus(ctx, challenge, status)
  const receipt_id = recordConnectorReceipt(ctx, 'auth_challenge', {
    server_id,
    auth_profile_id: challenge.auth_profile_id,
    status: decision === 'deny' ? 'blocked' : 'ok',
    summary: `The challenge was answered: ${decision}.`,
  })
  return {
    server_id,
    resolved: true,
    resolution,
    auth_status: readServerAuth(ctx.tx, server_id),
    receipt_id,
    accepted: true,
    next_step,
    schema_version: 1,
  }
}

function readDecision({ decision, action }: Response): ChallengeDecision {
  const given = decision ?? action
  if (given !== undefined && (action === undefined || action === given)) return given
  throw new Failure('INVALID_REQUEST', 'decision: send approve, deny or retry, once', {
    details: { field: 'decision' },
  })
}

/** A challenge that has ended, or now expires, is not answered any more. */
function refuse(ctx: CommandContext, challenge: ChallengeRow, isOpen: boolean): ChallengeResponse {
  const { status } = isOpen ? setChallengeStatus(ctx, challenge, 'expired') : challenge
  const known = Object.values(SETTLEMENTS).find((one) => one.status === status)
  return {
    server_id: challenge.server_id,
    resolved: status !== 'expired',
    resolution: known?.resolution ?? (status === 'resolved' ? 'approved' : 'expired'),
    auth_status: readServerAuth(ctx.tx, challenge.server_id),
    accepted: false,
    next_step: 'closed',
    schema_version: 1,
  }
}

function selectProfile(
  ctx: CommandContext,
  { serverId, auth_profile_id }: { readonly serverId: string; readonly auth_profile_id: string },
  approved: ApprovedScopes,
): void {
  const server = getServer(ctx.tx, serverId)
  assertProfile(ctx.tx, auth_profile_id, server.provider)
  const changed = { ...server, auth_profile_id, tool_schema_hash: undefined, updated_at: ctx.now }
  const checked = checkServer(ctx.tx, changed, { options: undefined, approved })
  upsertServer(ctx.tx, checked?.server ?? changed)
  // Another identity may be offered other tools.
  deleteHealth(ctx.tx, serverId)
  deleteTools(ctx.tx, serverId)
  recordEvent(ctx, `connector/${serverId}`, 'mcp.server.changed', { server_id: serverId })
}
