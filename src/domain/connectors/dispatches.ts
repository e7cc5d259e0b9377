import type { z } from 'zod'
import type { callConnectorTool, ConnectorCall } from '@apprentice/contracts/connectors/dispatch.ts'
import type { EffectiveConnectorPolicy } from '@apprentice/contracts/connectors/policy.ts'
import type { ConnectorServer } from '@apprentice/contracts/connectors/server.ts'
import type { ActionClass } from '@apprentice/contracts/connectors/values.ts'
import { Failure } from '../../failure/failure.ts'
import { decideConnectorPolicy } from '../../knowledge/connectors/connector-policy.ts'
import { getScopeRule, isFamily } from '../../knowledge/m365/scope-table.ts'
import { listLiveGrants } from '../../store/connectors/approvals.ts'
import { type DispatchRow, findDispatch, insertDispatch } from '../../store/connectors/dispatches.ts'
import { findHealth } from '../../store/connectors/servers.ts'
import { findTool } from '../../store/connectors/tools.ts'
import type { Reader } from '../../store/db/db.ts'
import { asSystem, type CommandContext } from '../command/context.ts'
import { enqueueJob } from '../command/jobs.ts'
import { type PausedCall, requestApproval } from './approval-requests.ts'
import { describeDenial, recordDeniedCall } from './denied-calls.ts'
import { recordDispatchEvent } from './dispatch-rows.ts'
import { assertGeneralCall, chooseDocumentQueue, DOCUMENT_JOB_KIND, isBuiltIn } from './registry/built-in-server.ts'
import { getServer } from './registry/server-view.ts'
import { findSignInProblem } from './sign-in/sign-in-checks.ts'
import {
  formatPayloadRef,
  formatResultRef,
  readSecretText,
  storeSecretText,
  type VaultCipher,
} from './registry/vault.ts'
import { listPolicyDecisions } from './registry/policy-decisions.ts'

export const DISPATCH_JOB_KIND = 'connector.dispatch'

export type DispatchRequest = Omit<
  z.infer<typeof callConnectorTool.body>,
  'client_request_id' | 'schema_version' | 'server_id' | 'provider'
> & { readonly server_id: string }

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/**
 * Decides about a call: it is refused, kept until a person decides, or queued. A refusal that leaves something for a
 * person to do is returned, so that it is stored.
 */
export function startDispatch(
  given: CommandContext,
  cipher: VaultCipher,
  request: DispatchRequest,
): { dispatch_id: string } | Failure {
  const ctx = withCorrelation(given)
  const { server_id, tool_name } = request
  assertGeneralCall(server_id)
  const server = getServer(ctx.tx, server_id)
  assertCallable(ctx.tx, server, tool_name, ctx.now)
  const action_class = findActionClass(ctx.tx, server, tool_name)
  const policy = decidePolicy(ctx.tx, server, { tool_name, action_class }, ctx.now)
  if (policy.decision.mode === 'disabled') {
    return recordDeniedCall(ctx, { ...request, action_class }, { server, policy })
  }
  const problem = findSignInProblem(ctx, server)
  if (problem !== undefined) return problem
  const mustAsk = policy.decision.mode === 'ask_first'
  const isGranted = mustAsk && hasGrant(ctx, request)
  return openDispatch(ctx, cipher, { server, policy, action_class, mustAsk, isGranted, request })
}

interface DecidedCall {
  readonly server: ConnectorServer
  readonly policy: EffectiveConnectorPolicy
  readonly action_class: ActionClass
  readonly mustAsk: boolean
  readonly isGranted: boolean
  readonly request: PausedCall['request'] &
    Pick<DispatchRow, 'tool_name' | 'max_duration_ms' | 'project_id' | 'on_question'>
  /** Of what is read. Absent: that of the server. */
  readonly data_class?: string
}

/** Records an allowed call, and queues it or asks a person. */
export function openDispatch(
  ctx: CommandContext,
  cipher: VaultCipher,
  { server, policy, action_class, mustAsk, isGranted, request, data_class }: DecidedCall,
): { dispatch_id: string } {
  const { server_id } = server
  const dispatch: DispatchRow = {
    dispatch_id: ctx.newId(),
    correlation_id: ctx.correlation_id,
    user_id: ctx.actor.user_id,
    server_id,
    tool_name: request.tool_name,
    action_class,
    status: mustAsk && !isGranted ? 'waiting_for_approval' : 'queued',
    approval_mode: mustAsk ? 'ask_first' : 'autonomous',
    max_duration_ms: request.max_duration_ms,
    on_question: request.on_question,
    project_id: request.project_id,
    session_ref: request.session_ref,
    why_needed: request.why_needed,
    policy_trace: traceDecision(policy, isGranted),
    created_at: ctx.now,
  }
  insertDispatch(ctx.tx, dispatch)
  storeSecretText(ctx, cipher, formatPayloadRef(dispatch.dispatch_id), JSON.stringify(request.arguments))
  if (dispatch.status === 'queued') queueDispatch(ctx, dispatch)
  else requestApproval(ctx, { dispatch, request, server, target: policy.target, data_class })
  recordDispatchEvent(ctx, dispatch)
  return { dispatch_id: dispatch.dispatch_id }
}

/** A call has an id that both sides can search for, also if the client sent none. */
export const withCorrelation = (ctx: CommandContext): CommandContext =>
  UUID.test(ctx.correlation_id) ? ctx : { ...ctx, correlation_id: ctx.newId() }

/** Queues a call, under its own correlation id and for its own user, whoever approved it. */
export function queueDispatch(ctx: CommandContext, dispatch: DispatchRow): void {
  const { dispatch_id, correlation_id, user_id, server_id, max_duration_ms } = dispatch
  const deadline = Date.parse(ctx.now) + max_duration_ms
  enqueueJob(
    { ...asSystem(ctx, user_id), correlation_id },
    {
      job_id: dispatch_id,
      kind: isBuiltIn(server_id) ? DOCUMENT_JOB_KIND : DISPATCH_JOB_KIND,
      // Calls of other servers do not wait for each other.
      lane: isBuiltIn(server_id) ? chooseDocumentQueue(dispatch.tool_name) : `connector/${dispatch_id}`,
      payload: { dispatch_id },
      deadline_at: new Date(deadline).toISOString(),
    },
  )
}

/** Whether a call that was allowed is still allowed when it is made. Throws if not. */
export function assertStillAllowed(reader: Reader, dispatch: DispatchRow, now: string): ConnectorServer {
  const { server_id, tool_name, action_class } = dispatch
  const server = getServer(reader, server_id)
  assertCallable(reader, server, tool_name, now)
  assertNotDisabled(decidePolicy(reader, server, { tool_name, action_class }, now), server)
  return server
}

/** Whether a server may be called now. Throws if not. */
export function assertCallable(reader: Reader, server: ConnectorServer, toolName: string, now: string): void {
  const { display_name, server_id } = server
  // Microsoft 365 has no address of its own in the registry: the settings name it.
  const hasTransport = server.transport !== 'provider_native' || server.provider === 'm365'
  if (!server.active_build_surface || !hasTransport) {
    throw new Failure('MCP_SERVER_NOT_ACTIVE_IN_BUILD', `${display_name} cannot be used in this build.`)
  }
  if (!server.enabled) throw new Failure('MCP_SERVER_DISABLED', `${display_name} is disabled. Enable it first.`)
  if (!server.supported_tools.includes(toolName)) {
    throw new Failure('MCP_POLICY_DENIED', `${toolName} is not among the supported tools of ${display_name}.`, {
      details: { reason_code: 'tool_not_supported' },
    })
  }
  const backoff_until = findHealth(reader, server_id)?.backoff_until
  if (backoff_until !== undefined && backoff_until > now) {
    const retry_after_ms = Date.parse(backoff_until) - Date.parse(now)
    throw new Failure('MCP_THROTTLED', `${display_name} asked for a pause. Try again later.`, {
      details: { backoff_until, retry_after_ms },
    })
  }
}

export function assertNotDisabled(policy: EffectiveConnectorPolicy, server: ConnectorServer): void {
  if (policy.decision.mode === 'disabled') throw describeDenial(policy, server)
}

/** What a tool does. A tool that does not declare that it only reads may write. */
export function findActionClass(
  reader: Reader,
  { server_id, provider }: Pick<ConnectorServer, 'server_id' | 'provider'>,
  toolName: string,
): ActionClass {
  if (provider === 'm365' && isFamily(toolName)) return getScopeRule(toolName).action_class
  return findTool(reader, server_id, toolName)?.annotations['readOnlyHint'] === true ? 'read' : 'write'
}

export const decidePolicy = (
  reader: Reader,
  { provider, server_id }: ConnectorServer,
  { tool_name, action_class }: { readonly tool_name: string; readonly action_class: ActionClass },
  now: string,
): EffectiveConnectorPolicy =>
  decideConnectorPolicy(listPolicyDecisions(reader), { provider, server_id, tool_name, action_class }, now)

/** Whether a person approved such calls for the turn or the session of this one. */
export function hasGrant(
  ctx: CommandContext,
  {
    server_id,
    tool_name,
    session_ref,
    turn_ref,
  }: Pick<DispatchRequest, 'server_id' | 'tool_name' | 'session_ref' | 'turn_ref'>,
): boolean {
  const { user_id } = ctx.actor
  return listLiveGrants(ctx.tx, { user_id, server_id, tool_name }, ctx.now).some(
    (grant) =>
      (grant.turn_ref !== undefined && grant.turn_ref === turn_ref) ||
      (grant.session_ref !== undefined && grant.session_ref === session_ref),
  )
}

/** A grant comes first, because it decided. */
const traceDecision = ({ precedence_trace }: EffectiveConnectorPolicy, isGranted: boolean): string[] => [
  ...(isGranted ? ['temporary_grant=enabled'] : []),
  ...precedence_trace,
]

/** A call as its owner sees it. Administrators see the calls of all users, without results. */
export function readCall(
  reader: Reader,
  cipher: VaultCipher,
  dispatchId: string,
  viewer: { readonly user_id: string; readonly is_admin: boolean },
): ConnectorCall {
  const row = findDispatch(reader, dispatchId)
  if (row === undefined || (row.user_id !== viewer.user_id && !viewer.is_admin)) {
    throw new Failure('MCP_ASK_FIRST_NOT_FOUND', 'There is no such call.')
  }
  const { correlation_id, server_id, tool_name, status, error_code, error_message, policy_trace } = row
  const text = row.user_id === viewer.user_id ? readSecretText(reader, cipher, formatResultRef(dispatchId)) : undefined
  return {
    dispatch_id: dispatchId,
    correlation_id,
    server_id,
    tool_name,
    status,
    ...(text === undefined ? {} : { result: JSON.parse(text) as NonNullable<ConnectorCall['result']> }),
    error_code,
    error_message,
    policy_trace,
    created_at: row.created_at,
    started_at: row.started_at,
    completed_at: row.completed_at,
    schema_version: 1,
  }
}
