import type { M365OperationFamily } from '@apprentice/contracts/connectors/m365-families.ts'
import type { M365OperationResponse } from '@apprentice/contracts/connectors/m365/operations.ts'
import type { ConnectorServer, ThrottleState } from '@apprentice/contracts/connectors/server.ts'
import { Failure } from '../../failure/failure.ts'
import { findMissingScopes } from '../../knowledge/m365/call-scopes.ts'
import { readOperation, type ReadOperation } from '../../knowledge/m365/operation-request.ts'
import type { M365RegistrationCode } from '../../knowledge/m365/registration-check.ts'
import { type ApprovedScopes, isFamily } from '../../knowledge/m365/scope-table.ts'
import { type DispatchRow, insertDispatch } from '../../store/connectors/dispatches.ts'
import type { Reader } from '../../store/db/db.ts'
import type { CommandContext } from '../command/context.ts'
import { endDispatch, findIdentity } from './dispatch-outcomes.ts'
import { assertCallable, type DispatchRequest, findActionClass, startDispatch, withCorrelation } from './dispatches.ts'
import { describeModeError, findModeError } from './registry/m365-registrations.ts'
import { getServer } from './registry/server-view.ts'
import { openSignInChallenge } from './sign-in/sign-in-checks.ts'
import { findServerProfile } from './sign-in/tokens.ts'
import { formatResultRef, storeSecretText, type VaultCipher } from './registry/vault.ts'

interface CallDeps {
  readonly cipher: VaultCipher
  readonly approved: ApprovedScopes
}

/** Why a call of Microsoft 365 is not made. */
export interface CallBlock {
  readonly code: M365RegistrationCode
  readonly message: string
  readonly missing_scopes: readonly string[]
}

/** Decides about a call of any server. Those of Microsoft 365 are checked for more before the policy is asked. */
export function startCall(
  given: CommandContext,
  request: DispatchRequest,
  { cipher, approved }: CallDeps,
): { dispatch_id: string } | Failure {
  const ctx = withCorrelation(given)
  const { server_id, tool_name } = request
  const server = getServer(ctx.tx, server_id)
  if (server.provider !== 'm365' || !isFamily(tool_name)) return startDispatch(ctx, cipher, request)
  const operation = readCallOperation(server, tool_name, request)
  assertCallable(ctx.tx, server, tool_name, ctx.now)
  const block = findBlock(ctx.tx, server, { family: tool_name, operation, approved })
  if (block === undefined) return startDispatch(ctx, cipher, request)
  return recordBlocked(ctx, cipher, { request, server, block, family: tool_name })
}

type CallParts = Pick<DispatchRequest, 'arguments' | 'max_duration_ms' | 'project_id'>

/** Reads the arguments of a call. Throws if they are not those of the operation. */
export function readCallOperation(
  server: ConnectorServer,
  family: M365OperationFamily,
  { arguments: given, max_duration_ms, project_id }: CallParts,
): ReadOperation {
  const { server_id, interaction_mode, auth_profile_id } = server
  const read = readOperation(family, given, {
    server_id,
    interaction_mode,
    auth_profile_id,
    project_id,
    timeout_ms: max_duration_ms,
  })
  if ('operation' in read) return read.operation
  const issues = read.issues.slice(0, 10).map(({ path, message }) => ({ field: toField(path), message }))
  const [first = { field: 'arguments', message: 'is invalid' }] = issues
  throw new Failure('INVALID_REQUEST', `${first.field}: ${first.message}`, {
    details: { field: first.field, in: 'arguments', issues },
  })
}

const toField = (path: readonly PropertyKey[]): string => ['arguments', ...path.map(String)].join('.')

/** Whether the server may make this call, with the scopes that its token has now. */
export function findBlock(
  reader: Reader,
  server: ConnectorServer,
  { family, operation, approved }: { family: M365OperationFamily; operation: ReadOperation; approved: ApprovedScopes },
): CallBlock | undefined {
  const error = findModeError(reader, server, family)
  if (error !== undefined) return { code: error.code, message: describeModeError(error), missing_scopes: [] }
  const profile = findServerProfile(reader, server.server_id)
  // Without a token nothing was granted yet; signing in comes first.
  if (profile?.token_ref === undefined) return undefined
  const missing_scopes = findMissingScopes(operation.request, profile.scopes_granted, approved)
  if (missing_scopes.length === 0) return undefined
  const message = `The token lacks ${missing_scopes.join(', ')}. A person has to agree to more scopes.`
  return { code: 'M365_SCOPE_MISSING', message, missing_scopes }
}

interface BlockedCall {
  readonly request: DispatchRequest
  readonly server: ConnectorServer
  readonly block: CallBlock
  readonly family: M365OperationFamily
}

/** Keeps what was refused: the call with its receipt, and what a person has to agree to. */
function recordBlocked(
  ctx: CommandContext,
  cipher: VaultCipher,
  { request, server, block, family }: BlockedCall,
): Failure {
  const { server_id } = server
  const dispatch: DispatchRow = {
    dispatch_id: ctx.newId(),
    correlation_id: ctx.correlation_id,
    user_id: ctx.actor.user_id,
    server_id,
    tool_name: family,
    action_class: findActionClass(ctx.tx, server, family),
    status: 'queued',
    approval_mode: 'autonomous',
    max_duration_ms: request.max_duration_ms,
    project_id: request.project_id,
    policy_trace: [block.code],
    created_at: ctx.now,
  }
  insertDispatch(ctx.tx, dispatch)
  const challenge = openScopeChallenge(ctx, server, block)
  const receipt_id = ctx.newId()
  const { code, message, missing_scopes } = block
  const parts = { status: 'blocked', error_code: code, error_message: message, missing_scopes, receipt_id } as const
  const response = describeRefusal(ctx.tx, dispatch, parts)
  storeSecretText(ctx, cipher, formatResultRef(dispatch.dispatch_id), formatRefusal(response))
  endDispatch(ctx, dispatch.dispatch_id, { status: 'failed', error_code: code, error_message: message, receipt_id })
  const { dispatch_id, correlation_id } = dispatch
  const { granted_scopes } = response
  return new Failure(code, message, {
    details: { dispatch_id, correlation_id, granted_scopes, missing_scopes: [...missing_scopes], ...challenge },
  })
}

function openScopeChallenge(
  ctx: CommandContext,
  server: ConnectorServer,
  { missing_scopes }: CallBlock,
): { challenge_id?: string } {
  const { auth_profile_id, interaction_mode } = server
  if (missing_scopes.length === 0 || auth_profile_id === undefined || interaction_mode !== 'interactive_user') return {}
  const { challenge_id } = openSignInChallenge(ctx, server, {
    auth_profile_id,
    kind: 'incremental_consent',
    scopes: missing_scopes,
  })
  return { challenge_id }
}

interface RefusalParts {
  readonly status: 'blocked' | 'failed'
  readonly error_code: string
  readonly error_message: string
  readonly missing_scopes?: readonly string[]
  readonly receipt_id: string
  readonly throttle_state?: ThrottleState
}

/** The answer of an operation that gave no result. */
export function describeRefusal(
  reader: Reader,
  dispatch: DispatchRow,
  { status, error_code, error_message, missing_scopes = [], receipt_id, throttle_state }: RefusalParts,
): M365OperationResponse {
  const base = describeResponse(reader, dispatch, { missing_scopes, receipt_id, throttle_state })
  return { ...base, status, error_code, error_message: error_message.slice(0, 500) }
}

/** What every answer of an operation says. */
export function describeResponse(
  reader: Reader,
  dispatch: DispatchRow,
  {
    missing_scopes,
    receipt_id,
    throttle_state = { state: 'none' },
  }: Pick<RefusalParts, 'receipt_id'> & {
    readonly missing_scopes: readonly string[]
    readonly throttle_state?: ThrottleState | undefined
  },
) {
  const { dispatch_id, server_id, tool_name } = dispatch
  const profile = findServerProfile(reader, server_id)
  const identity = findIdentity(reader, dispatch)
  return {
    operation_id: dispatch_id,
    server_id,
    operation_family: tool_name as M365OperationFamily,
    auth_profile_id: profile?.auth_profile_id,
    granted_scopes: profile?.scopes_granted ?? [],
    missing_scopes: [...missing_scopes],
    receipt_id,
    identity_asserted_kind: identity.kind,
    identity_asserted_ref: identity.ref,
    throttle_state,
    schema_version: 1 as const,
  }
}

/** The text under which the vault keeps such an answer as the result of a call. */
export const formatRefusal = (response: M365OperationResponse): string =>
  JSON.stringify({
    content: [{ type: 'text', text: 'error_code' in response ? (response.error_message ?? response.error_code) : '' }],
    structured_content: response,
    is_error: true,
  })
