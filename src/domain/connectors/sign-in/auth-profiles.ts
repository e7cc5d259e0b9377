import type { z } from 'zod'
import type {
  AuthProfile,
  createAuthProfile,
  deleteAuthProfile,
  patchAuthProfile,
} from '@apprentice/contracts/connectors/auth-profiles.ts'
import { Failure } from '../../../failure/failure.ts'
import * as store from '../../../store/connectors/auth-profiles.ts'
import { listServersWithProfile } from '../../../store/connectors/servers.ts'
import type { Reader } from '../../../store/db/db.ts'
import type { CommandContext } from '../../command/context.ts'
import { recordEvent } from '../../command/ledger.ts'
import { recordConnectorReceipt } from '../registry/receipts.ts'
import { eraseProfile } from './tokens.ts'

type Creation = Omit<z.infer<typeof createAuthProfile.body>, 'client_request_id' | 'schema_version'>
type Patch = Omit<z.infer<typeof patchAuthProfile.body>, 'client_request_id' | 'schema_version'>

export const listAuthProfiles = (reader: Reader): AuthProfile[] => store.listProfiles(reader).map(toAuthProfile)

export function createProfile(ctx: CommandContext, given: Creation): AuthProfile {
  const signsIn = given.auth_mode.startsWith('oauth2_')
  const row: store.AuthProfileRow = {
    ...given,
    auth_profile_id: `ap-${ctx.newId()}`,
    scopes_granted: [],
    incremental_consent_supported: signsIn,
    auth_challenge_supported: signsIn,
    // Nobody has signed in yet. A secret that was not tried is unknown.
    status: signsIn ? 'challenge_required' : given.auth_mode === 'none' ? 'healthy' : 'unknown',
    disposable: false,
    created_at: ctx.now,
    updated_at: ctx.now,
    schema_version: 1,
  }
  store.upsertProfile(ctx.tx, row)
  record(ctx, row, 'auth_profile_create', 'created')
  return toAuthProfile(row)
}

export function patchProfile(ctx: CommandContext, id: string, patch: Patch): AuthProfile {
  const before = getProfile(ctx.tx, id)
  const {
    scopes = before.scopes,
    redirect_uri = before.redirect_uri,
    refresh_policy = before.refresh_policy,
    shared_profile = before.shared_profile,
  } = patch
  const row = {
    ...before,
    scopes,
    redirect_uri: redirect_uri ?? undefined,
    refresh_policy,
    shared_profile,
    // Whether a key was replaced since it was refused is known by this time, so it is tried again.
    status: before.auth_mode === 'api_key' && before.status !== 'healthy' ? ('unknown' as const) : before.status,
    updated_at: ctx.now,
  }
  store.upsertProfile(ctx.tx, row)
  record(ctx, row, 'auth_profile_patch', 'changed')
  return toAuthProfile(row)
}

export function removeProfile(ctx: CommandContext, id: string): z.infer<typeof deleteAuthProfile.reply> {
  const row = getProfile(ctx.tx, id)
  const blocked_by_server_ids = listServersWithProfile(ctx.tx, id)
  if (blocked_by_server_ids.length > 0) {
    throw new Failure('MCP_AUTH_PROFILE_IN_USE', 'Servers use this sign-in profile. Detach it from them first.', {
      details: { blocked_by_server_ids },
    })
  }
  eraseProfile(ctx.tx, id)
  const receipt_id = record(ctx, row, 'auth_profile_delete', 'deleted')
  return { auth_profile_id: id, deleted: true, blocked_by_server_ids: [], receipt_id, schema_version: 1 }
}

function getProfile(reader: Reader, id: string): store.AuthProfileRow {
  const row = store.findProfile(reader, id)
  if (row === undefined) throw new Failure('MCP_AUTH_PROFILE_NOT_FOUND', `There is no sign-in profile ${id}.`)
  return row
}

function record(
  ctx: CommandContext,
  { auth_profile_id, provider }: store.AuthProfileRow,
  kind: 'auth_profile_create' | 'auth_profile_patch' | 'auth_profile_delete',
  verb: string,
): string {
  recordEvent(ctx, `connector/${auth_profile_id}`, 'mcp.auth_profile.changed', { auth_profile_id })
  return recordConnectorReceipt(ctx, kind, { auth_profile_id, summary: `Sign-in profile for ${provider} ${verb}.` })
}

const toAuthProfile = ({
  scopes_granted: _g,
  disposable: _d,
  subject: _s,
  ...profile
}: store.AuthProfileRow): AuthProfile => profile
