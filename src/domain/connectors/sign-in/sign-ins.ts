import { createHash } from 'node:crypto'
import type { SignInStart } from '@apprentice/contracts/connectors/sign-in.ts'
import type { ConnectorServer, ServerAuthStatus } from '@apprentice/contracts/connectors/server.ts'
import { Failure } from '../../../failure/failure.ts'
import { type AuthProfileRow, findProfile } from '../../../store/connectors/auth-profiles.ts'
import { listOpenChallenges } from '../../../store/connectors/challenges.ts'
import * as store from '../../../store/connectors/sign-ins.ts'
import { findServer } from '../../../store/connectors/servers.ts'
import { deleteEntry } from '../../../store/connectors/vault.ts'
import type { Reader } from '../../../store/db/db.ts'
import type { CommandContext } from '../../command/context.ts'
import { recordEvent } from '../../command/ledger.ts'
import { listRequestedScopes } from '../registry/m365-registrations.ts'
import { recordConnectorReceipt } from '../registry/receipts.ts'
import { getServer } from '../registry/server-view.ts'
import { markProfile, readServerAuth, storeTokens, type StoredGrant } from './tokens.ts'
import { formatClientRef, formatSignInRef, storeSecretText, type VaultCipher } from '../registry/vault.ts'

const SIGN_IN_TTL_MS = 10 * 60_000
const KEPT_MS = 24 * 3_600_000
const BATCH_SIZE = 500

/** A server and the profile by which a person signs in to it. */
export interface SignInTarget {
  readonly server: ConnectorServer
  readonly profile: AuthProfileRow
  readonly scopes: readonly string[]
  readonly challenge_id?: string | undefined
}

/** What a sign-in is for. Scopes that the server asked for meanwhile are asked for too. */
export function prepareSignIn(reader: Reader, serverId: string, override?: readonly string[]): SignInTarget {
  const server = getServer(reader, serverId)
  const { display_name, auth_profile_id } = server
  if (!server.active_build_surface) {
    throw new Failure('MCP_SERVER_NOT_ACTIVE_IN_BUILD', `${display_name} cannot be used in this build.`)
  }
  if (!server.enabled) throw new Failure('MCP_SERVER_DISABLED', `${display_name} is disabled. Enable it first.`)
  const profile = auth_profile_id === undefined ? undefined : findProfile(reader, auth_profile_id)
  if (profile?.auth_mode !== 'oauth2_delegated') {
    const message =
      profile?.auth_mode === 'oauth2_client_credentials'
        ? 'This profile signs in without a person. Use auth/refresh.'
        : `${display_name} has no profile with which a person signs in.`
    throw new Failure('MCP_AUTH_PROFILE_REQUIRED', message)
  }
  const challenges = listOpenChallenges(reader, serverId).filter((one) => one.auth_profile_id === auth_profile_id)
  const more = [...listRequestedScopes(reader, server), ...challenges.flatMap((one) => one.scopes)]
  const scopes = override ?? [...new Set([...profile.scopes, ...more])]
  return { server, profile, scopes, challenge_id: challenges[0]?.challenge_id }
}

export interface NewSignIn {
  readonly sign_in_id: string
  readonly state: string
  readonly redirect_uri: string
  readonly url: string
  /** What the callback needs. It is kept in the vault, with the reply. */
  readonly kept: object
  /** The client, as text for the vault, if it is to be used again. */
  readonly client: string | undefined
}

export function startSignIn(
  ctx: CommandContext,
  cipher: VaultCipher,
  target: SignInTarget,
  made: NewSignIn,
): SignInStart {
  const { server, profile, scopes, challenge_id } = target
  const { server_id } = server
  const { auth_profile_id } = profile
  const { sign_in_id, state, redirect_uri, url } = made
  const expires_at = new Date(Date.parse(ctx.now) + SIGN_IN_TTL_MS).toISOString()
  store.insertSignIn(ctx.tx, {
    sign_in_id,
    state_hash: hashState(state),
    server_id,
    auth_profile_id,
    user_id: ctx.actor.user_id,
    redirect_uri,
    scopes: [...scopes],
    status: 'waiting',
    correlation_id: ctx.correlation_id,
    created_at: ctx.now,
    expires_at,
    updated_at: ctx.now,
  })
  const reply: SignInStart = {
    server_id,
    auth_profile_id,
    auth_url: url,
    authorization_url: url,
    oauth_state_ref: sign_in_id,
    pkce_verifier_ref: formatSignInRef(sign_in_id),
    challenge_id,
    correlation_id: ctx.correlation_id,
    expires_at,
    schema_version: 1,
  }
  storeSecretText(ctx, cipher, formatSignInRef(sign_in_id), JSON.stringify({ ...made.kept, reply }))
  if (made.client !== undefined) storeSecretText(ctx, cipher, formatClientRef(auth_profile_id), made.client)
  recordConnectorReceipt(ctx, 'auth_start', {
    server_id,
    auth_profile_id,
    summary: `Sign-in to ${server.display_name} begun.`,
  })
  recordChange(ctx, server_id, sign_in_id)
  return reply
}

/** The sign-ins to a server that a user began and that can still be finished. */
export const listWaitingSignIns = (
  reader: Reader,
  { server_id, user_id, now }: { readonly server_id: string; readonly user_id: string; readonly now: string },
): store.SignInRow[] =>
  store
    .listOpenSignIns(reader)
    .filter((row) => row.server_id === server_id && row.user_id === user_id)
    .filter((row) => row.status === 'waiting' && row.expires_at > now)

/** The sign-in that a state belongs to. A state is good once, for one server, for ten minutes. */
export function findWaitingSignIn(reader: Reader, serverId: string, state: string, now: string): store.SignInRow {
  const row = store.findSignInByState(reader, hashState(state))
  if (row === undefined || row.server_id !== serverId) throw refuseState('unknown')
  if (row.status === 'expired' || (row.status === 'waiting' && row.expires_at <= now)) throw refuseState('expired')
  if (row.status !== 'waiting') throw refuseState('reused')
  return row
}

export const refuseState = (reason: 'unknown' | 'expired' | 'reused'): Failure =>
  new Failure('MCP_OAUTH_STATE_INVALID', `This sign-in is ${reason}. Start it again.`, { details: { reason } })

/** Uses the state. From now on the sign-in is finished by the daemon, also after a restart. */
export function claimSignIn(
  ctx: CommandContext,
  cipher: VaultCipher,
  { server_id, state, kept }: { readonly server_id: string; readonly state: string; readonly kept: string },
): store.SignInRow {
  const row = findWaitingSignIn(ctx.tx, server_id, state, ctx.now)
  storeSecretText(ctx, cipher, formatSignInRef(row.sign_in_id), kept)
  return setStatus(ctx, row, 'exchanging')
}

/** The authorization server refused, or the exchange failed. The tokens of an earlier sign-in stay. */
export function failSignIn(ctx: CommandContext, row: store.SignInRow, errorCode: string): ServerAuthStatus {
  const { server_id, auth_profile_id, sign_in_id } = row
  deleteEntry(ctx.tx, formatSignInRef(sign_in_id))
  setStatus(ctx, row, 'failed')
  const profile = findProfile(ctx.tx, auth_profile_id)
  if (profile !== undefined) markProfile(ctx, profile, { status: 'challenge_required', error_code: errorCode })
  recordConnectorReceipt(ctx, 'auth_callback', {
    server_id,
    auth_profile_id,
    status: 'failed',
    summary: `The sign-in failed: ${errorCode}.`.slice(0, 500),
  })
  return readServerAuth(ctx.tx, server_id)
}

export function completeSignIn(
  ctx: CommandContext,
  cipher: VaultCipher,
  row: store.SignInRow,
  granted: StoredGrant,
): ServerAuthStatus {
  const { server_id, auth_profile_id, sign_in_id } = row
  deleteEntry(ctx.tx, formatSignInRef(sign_in_id))
  setStatus(ctx, row, 'done')
  const profile = findProfile(ctx.tx, auth_profile_id)
  if (profile === undefined || findServer(ctx.tx, server_id) === undefined) {
    throw new Failure('MCP_SERVER_NOT_FOUND', 'The server or its sign-in profile was removed meanwhile.')
  }
  const { status } = storeTokens(ctx, cipher, profile, granted)
  recordConnectorReceipt(ctx, 'auth_callback', {
    server_id,
    auth_profile_id,
    status: status === 'healthy' ? 'ok' : 'degraded',
    summary: status === 'healthy' ? 'Signed in.' : 'Signed in, but not all scopes were granted.',
    ...(granted.grant.subject === undefined
      ? {}
      : { identity: { kind: 'oauth_user', ref: granted.grant.subject.slice(0, 240) } }),
  })
  return readServerAuth(ctx.tx, server_id)
}

/** Ends sign-ins that nobody finished in time, and deletes old ones. Returns how many. */
export function sweepSignIns(ctx: CommandContext): number {
  const overdue = store
    .listOpenSignIns(ctx.tx)
    .filter(({ status, expires_at }) => status === 'waiting' && expires_at <= ctx.now)
  for (const row of overdue) {
    deleteEntry(ctx.tx, formatSignInRef(row.sign_in_id))
    setStatus(ctx, row, 'expired')
  }
  const before = new Date(Date.parse(ctx.now) - KEPT_MS).toISOString()
  return overdue.length + store.deleteEndedSignIns(ctx.tx, before, BATCH_SIZE)
}

function setStatus(ctx: CommandContext, row: store.SignInRow, status: store.SignInStatus): store.SignInRow {
  const updated = { ...row, status, updated_at: ctx.now }
  store.updateSignIn(ctx.tx, updated)
  recordChange(ctx, row.server_id, row.sign_in_id)
  return updated
}

const recordChange = (ctx: CommandContext, serverId: string, sign_in_id: string): void =>
  recordEvent(ctx, `connector/${serverId}`, 'mcp.sign_in.changed', { sign_in_id })

const hashState = (state: string): string => createHash('sha256').update(state).digest('hex')
