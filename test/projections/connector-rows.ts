import type { CommandContext } from '../../src/domain/command/context.ts'
import { createProfile } from '../../src/domain/connectors/auth-profiles.ts'
import { updatePolicy } from '../../src/domain/connectors/policies.ts'
import { registerServer } from '../../src/domain/connectors/servers.ts'

const RULES = { allowed_hosts: [], bridges: [], isBusy: () => false }

/** Registers a server with a sign-in profile and a policy. */
export function addConnector(ctx: CommandContext): void {
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
}
