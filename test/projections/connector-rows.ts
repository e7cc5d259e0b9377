import { putProjectBinding } from '@apprentice/contracts/projects/bindings.ts'
import type { CommandContext } from '../../src/domain/command/context.ts'
import { createProfile } from '../../src/domain/connectors/sign-in/auth-profiles.ts'
import { requestApproval } from '../../src/domain/connectors/approval-requests.ts'
import { openChallenge } from '../../src/domain/connectors/sign-in/challenges.ts'
import { updatePolicy } from '../../src/domain/connectors/policies.ts'
import { registerServer } from '../../src/domain/connectors/servers.ts'
import { putBinding } from '../../src/domain/projects/bindings.ts'
import { startSignIn } from '../../src/domain/connectors/sign-in/sign-ins.ts'
import { type AuthProfileRow, findProfile } from '../../src/store/connectors/auth-profiles.ts'
import { type DispatchRow, insertDispatch } from '../../src/store/connectors/dispatches.ts'

/** The content of the vault does not matter here. */
const PLAIN_CIPHER = { seal: () => ({ key_id: 'none', sealed: '' }), open: () => undefined }

function getProfileRow(ctx: CommandContext, id: string): AuthProfileRow {
  const row = findProfile(ctx.tx, id)
  if (row === undefined) throw new Error('The profile was not created.')
  return row
}

const readGiven = (given: object) => putProjectBinding.body.parse(given)

const RULES = { allowed_hosts: [], bridges: [], isBusy: () => false, approved_scopes: {} }

/** Registers a server with a sign-in profile and a policy. */
export function addConnector(ctx: CommandContext): void {
  putBinding(ctx, 'P-17', readGiven({ source_of_truth: 'mixed', aliases: ['Harbour'] }))
  const { auth_profile_id } = createProfile(ctx, {
    provider: 'custom_remote',
    auth_mode: 'oauth2_delegated',
    scopes: ['notes.read'],
    token_subject_kind: 'user',
    refresh_policy: 'manual',
    shared_profile: false,
  })
  const { server } = registerServer(
    ctx,
    {
      provider: 'custom_remote',
      display_name: 'Notes server',
      transport: 'remote_http',
      endpoint_url: 'https://notes.example/mcp',
      interaction_mode: 'interactive_user',
      auth_profile_id,
      data_classes: [],
      supported_tools: ['read_note'],
      enabled: true,
    },
    RULES,
  )
  const target = { target_kind: 'server' as const, server_id: server.registry.server_id }
  updatePolicy(ctx, { target, decision: { mode: 'ask_first' } })
  const signIn = { server: server.registry, profile: getProfileRow(ctx, auth_profile_id), scopes: ['notes.read'] }
  startSignIn(ctx, PLAIN_CIPHER, signIn, {
    sign_in_id: ctx.newId(),
    state: ctx.newId(),
    redirect_uri: 'http://127.0.0.1/callback',
    url: 'https://sign-in.example/authorize',
    kept: {},
    client: undefined,
  })
  const { server_id } = server.registry
  const dispatch: DispatchRow = {
    dispatch_id: ctx.newId(),
    correlation_id: ctx.correlation_id,
    user_id: ctx.actor.user_id,
    server_id,
    tool_name: 'write_note',
    action_class: 'write',
    status: 'waiting_for_approval',
    approval_mode: 'ask_first',
    max_duration_ms: 1000,
    policy_trace: [],
    created_at: ctx.now,
  }
  insertDispatch(ctx.tx, dispatch)
  requestApproval(ctx, { dispatch, request: { arguments: { body: 'x' } }, server: server.registry, target })
  openChallenge(ctx, { server_id, auth_profile_id, kind: 'reauth', scopes: [] })
}
