import type { CapabilityUseReceipt } from '@apprentice/contracts/abilities/runs.ts'
import type { DispatchStatus } from '@apprentice/contracts/connectors/dispatch.ts'
import { type ContactResult, applyContact, UNKNOWN_HEALTH } from '../../knowledge/connectors/connection-health.ts'
import type { DispatchFault, DispatchOutcome, SealedText } from '../../knowledge/connectors/dispatch-outcome.ts'
import { type DispatchRow, findDispatch, listDispatchesWithOldResults } from '../../store/connectors/dispatches.ts'
import { setOperationReceipt } from '../../store/documents/document-operations.ts'
import { findHealth, findServer, upsertHealth } from '../../store/connectors/servers.ts'
import { deleteEntry } from '../../store/connectors/vault.ts'
import type { Reader } from '../../store/db/db.ts'
import { appendUseReceipt } from '../../store/runs/use-receipts.ts'
import type { CommandContext } from '../command/context.ts'
import { recordEvent } from '../command/ledger.ts'
import { setDispatch } from './dispatch-rows.ts'
import type { AssertedIdentity } from './registry/receipts.ts'
import { recordAcceptedKey, recordRefusedSignIn } from './sign-in/refused-sign-ins.ts'
import { challengeSignIn } from './sign-in/sign-in-checks.ts'
import { findServerProfile, markProfile } from './sign-in/tokens.ts'
import { formatPayloadRef, formatResultRef, storeSecretText, type VaultCipher } from './registry/vault.ts'

type Ending = Pick<DispatchRow, 'status'> & {
  readonly error_code?: string
  readonly error_message?: string
  /** The id of the receipt, if the answer names it. */
  readonly receipt_id?: string | undefined
}

const KEPT_RESULT_MS = 24 * 3_600_000
const BATCH_SIZE = 200
const TOO_MANY_REQUESTS = 429
const SERVICE_UNAVAILABLE = 503

const USE_RESULTS: Partial<Record<DispatchStatus, CapabilityUseReceipt['result']>> = {
  succeeded: 'success',
  denied: 'denied',
  expired: 'cancelled',
  cancelled: 'cancelled',
}

/** Records how a call ended: its result, the health of the server, the sign-in, and a receipt. */
export function recordOutcome(
  ctx: CommandContext,
  cipher: VaultCipher,
  dispatchId: string,
  { outcome, jitter }: { readonly outcome: DispatchOutcome; readonly jitter: number },
): void {
  const dispatch = findDispatch(ctx.tx, dispatchId)
  if (dispatch === undefined) return
  const { server_id, tool_name } = dispatch
  if (outcome.kind === 'result') {
    recordContact(ctx, server_id, { result: { kind: 'success', tool_name }, jitter })
    if (findServer(ctx.tx, server_id) !== undefined) recordAcceptedKey(ctx, { server_id })
    storeResult(ctx, cipher, dispatchId, outcome.sealed)
    endDispatch(ctx, dispatchId, { status: 'succeeded', receipt_id: outcome.receipt_id })
    return
  }
  recordFault(ctx, dispatch, { outcome, jitter })
  if (outcome.sealed !== undefined) storeResult(ctx, cipher, dispatchId, outcome.sealed)
  const { message, receipt_id } = outcome
  endDispatch(ctx, dispatchId, {
    status: 'failed',
    error_code: readErrorCode(outcome),
    error_message: message,
    receipt_id,
  })
}

function storeResult(ctx: CommandContext, cipher: VaultCipher, dispatchId: string, sealed: SealedText): void {
  const entry_ref = formatResultRef(dispatchId)
  const text = cipher.open({ entry_ref, ...sealed, created_at: '', updated_at: '' })
  if (text !== undefined) storeSecretText(ctx, cipher, entry_ref, text)
}

/** Ends a call. Returns the id of its receipt, or undefined if it had ended before. */
export function endDispatch(ctx: CommandContext, dispatchId: string, ending: Ending): string | undefined {
  const dispatch = findDispatch(ctx.tx, dispatchId)
  if (dispatch === undefined || dispatch.completed_at !== undefined) return undefined
  const { error_code, error_message, status, receipt_id = ctx.newId() } = ending
  deleteEntry(ctx.tx, formatPayloadRef(dispatchId))
  const ended = setDispatch(ctx, {
    ...dispatch,
    status,
    error_code,
    error_message: error_message?.slice(0, 500),
    completed_at: ctx.now,
  })
  appendUseReceipt(ctx.tx, dispatch.user_id, buildReceipt(ctx, ended, receipt_id))
  setOperationReceipt(ctx.tx, dispatchId, receipt_id)
  return receipt_id
}

function recordFault(
  ctx: CommandContext,
  { server_id, tool_name }: DispatchRow,
  { outcome, jitter }: { readonly outcome: DispatchFault; readonly jitter: number },
): void {
  const { http_status, retry_after_ms, reason_code, message, sign_in } = outcome
  if (sign_in !== undefined) {
    demandSignIn(ctx, server_id, sign_in)
    return
  }
  // What the daemon refused itself says nothing about the server.
  if (outcome.is_refusal === true) return
  // A server that refuses one request works.
  if (outcome.is_answer === true) {
    recordContact(ctx, server_id, { result: { kind: 'success' }, jitter })
    return
  }
  const isThrottled = http_status === TOO_MANY_REQUESTS || http_status === SERVICE_UNAVAILABLE
  const result: ContactResult = isThrottled
    ? { kind: 'throttled', http_status, ...(retry_after_ms === undefined ? {} : { retry_after_ms }) }
    : { kind: 'failure', reason_code, error: message, tool_name, http_status }
  recordContact(ctx, server_id, { result, jitter })
}

function demandSignIn(ctx: CommandContext, serverId: string, signIn: NonNullable<DispatchFault['sign_in']>): void {
  const server = findServer(ctx.tx, serverId)
  const profile = server && findServerProfile(ctx.tx, serverId)
  if (server === undefined || profile === undefined) return
  if (profile.auth_mode === 'api_key') return void recordRefusedSignIn(ctx, server)
  const { kind, scopes } = signIn
  // Nobody is there to sign in to a server that works in the background.
  const isInteractive = server.interaction_mode === 'interactive_user'
  if (profile.status === 'healthy') {
    const error_code = kind === 'reauth' ? 'unauthorized' : 'insufficient_scope'
    markProfile(ctx, profile, { status: isInteractive ? 'challenge_required' : 'expired', error_code })
  }
  if (!isInteractive) return
  challengeSignIn(ctx, server, { auth_profile_id: profile.auth_profile_id, kind, scopes })
}

const readErrorCode = ({ error_code, sign_in, http_status, reason_code }: DispatchFault): string =>
  error_code ??
  (sign_in !== undefined
    ? 'MCP_AUTH_CHALLENGE_REQUIRED'
    : http_status === TOO_MANY_REQUESTS || http_status === SERVICE_UNAVAILABLE
      ? 'MCP_THROTTLED'
      : reason_code)

/** Changes the health of a server by how a contact ended. */
function recordContact(
  ctx: CommandContext,
  server_id: string,
  { result, jitter }: { readonly result: ContactResult; readonly jitter: number },
): void {
  if (findServer(ctx.tx, server_id) === undefined) return
  const before = findHealth(ctx.tx, server_id) ?? UNKNOWN_HEALTH
  const contacted = applyContact(before, result, ctx.now, jitter)
  // A call says nothing about tools that changed: that stays until an administrator has looked at them.
  const isStillChanged = before.health_reason_code === 'tool_schema_changed'
  const { health_status, health_reason_code } = isStillChanged ? before : contacted
  upsertHealth(ctx.tx, server_id, { ...contacted, health_status, health_reason_code })
  if (health_status === before.health_status && result.kind === 'success') return
  recordEvent(ctx, `connector/${server_id}`, 'mcp.health.changed', { server_id, health_status })
}

function buildReceipt(ctx: CommandContext, row: DispatchRow, receipt_id: string): CapabilityUseReceipt {
  const { server_id, tool_name, dispatch_id, status, error_code, project_id } = row
  const server = findServer(ctx.tx, server_id)
  const identity = findIdentity(ctx.tx, row)
  return {
    receipt_id,
    capability_id: `${server_id}.${tool_name}`.slice(0, 160),
    provider: server?.provider,
    connector_server_id: server_id,
    dispatch_id,
    operation_id: tool_name,
    approval_mode: row.approval_mode,
    receipt_detail_level: 'standard',
    project_id,
    result: USE_RESULTS[status] ?? 'failure',
    auth_profile_id: server?.auth_profile_id,
    identity_asserted_kind: identity.kind,
    identity_asserted_ref: identity.ref,
    correlation_id: row.correlation_id,
    route_surface: 'mcp_connector',
    summary: `${tool_name} of ${server?.display_name ?? server_id}: ${error_code ?? status}`.slice(0, 240),
    started_at: row.started_at ?? row.created_at,
    completed_at: ctx.now,
    created_at: ctx.now,
    schema_version: 1,
  }
}

/** Whom the server was told to act for. */
export function findIdentity(reader: Reader, { server_id, user_id }: DispatchRow): AssertedIdentity {
  const server = findServer(reader, server_id)
  const profile = server && findServerProfile(reader, server_id)
  if (profile === undefined || profile.auth_mode === 'none') return { kind: 'local_user', ref: user_id }
  if (profile.auth_mode === 'oauth2_delegated' || profile.auth_mode === 'oauth2_on_behalf_of') {
    return { kind: 'oauth_user', ref: profile.subject ?? profile.auth_profile_id }
  }
  return { kind: 'service_principal', ref: profile.client_id ?? profile.auth_profile_id }
}

/** Deletes results that are older than a day. Returns how many. */
export function sweepResults(ctx: CommandContext): number {
  const before = new Date(Date.parse(ctx.now) - KEPT_RESULT_MS).toISOString()
  const ids = listDispatchesWithOldResults(ctx.tx, before, BATCH_SIZE)
  for (const id of ids) deleteEntry(ctx.tx, formatResultRef(id))
  return ids.length
}
