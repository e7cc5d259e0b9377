import { z } from 'zod'
import { SchemaVersion, strictRequestBody, Uuid } from '../base/fields.ts'
import { route } from '../base/route.ts'
import { M365_REFUSALS } from './m365-registration.ts'
import { ServerAuthStatus } from './server.ts'
import { AuthProfileId, ServerId } from './values.ts'

const ChallengeDecision = z.enum(['approve', 'deny', 'retry'])
export type ChallengeDecision = z.infer<typeof ChallengeDecision>

export const ChallengeResponse = z
  .object({
    server_id: ServerId,
    resolved: z.boolean(),
    resolution: z.enum(['approved', 'denied', 'retried', 'expired']),
    auth_status: ServerAuthStatus,
    receipt_id: Uuid.optional(),
    accepted: z.boolean(),
    next_step: z.enum(['retry_connection', 'await_user_signin', 'closed']),
    schema_version: SchemaVersion,
  })
  .meta({ id: 'ChallengeResponse' })
export type ChallengeResponse = z.infer<typeof ChallengeResponse>

export const respondToChallenge = route({
  method: 'POST',
  url: '/api/mcp/auth/challenge/respond',
  tag: 'connectors',
  summary: 'Answer a challenge: approve it and sign in then, retry the connection, or deny it',
  privilege: 'admin',
  body: strictRequestBody({
    challenge_id: Uuid,
    decision: ChallengeDecision.optional(),
    action: ChallengeDecision.optional().describe('Another name of `decision`; both must agree'),
    selected_auth_profile_id: AuthProfileId.optional().describe('The profile to sign in with from now on'),
    note: z.string().max(1000).optional(),
  }),
  reply: ChallengeResponse,
  fails: ['MCP_CHALLENGE_NOT_FOUND', 'MCP_AUTH_PROFILE_NOT_FOUND', 'MCP_AUTH_PROFILE_MISMATCH', ...M365_REFUSALS],
})
