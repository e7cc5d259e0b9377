import type { ConnectorServer } from '@apprentice/contracts/connectors/server.ts'
import type { GraphClientDeps } from '../connectors/graph/graph-client.ts'
import type { OperationAnswer, ProjectPlaces } from '../connectors/graph/operations/operation.ts'
import type { ToolCallFinding } from '../connectors/tool-call.ts'
import type { ContextDeps } from '../domain/command/context.ts'
import {
  type CallBlock,
  describeRefusal,
  describeResponse,
  findBlock,
  formatRefusal,
  readCallOperation,
} from '../domain/connectors/m365-calls.ts'
import { findSignInCode } from '../domain/connectors/sign-in/sign-in-checks.ts'
import { findServerProfile } from '../domain/connectors/sign-in/tokens.ts'
import { formatResultRef } from '../domain/connectors/registry/vault.ts'
import { findProject } from '../domain/projects/bindings.ts'
import { nameThrottle } from '../knowledge/connectors/connection-health.ts'
import type { ContactFinding } from '../knowledge/connectors/contact-finding.ts'
import type { DispatchFault } from '../knowledge/connectors/dispatch-outcome.ts'
import type { GraphFaultFacts } from '../knowledge/m365/graph-fault.ts'
import { type ApprovedScopes, isFamily, readFamilies } from '../knowledge/m365/scope-table.ts'
import { describeTools } from '../knowledge/m365/tool-descriptions.ts'
import type { DispatchRow } from '../store/connectors/dispatches.ts'
import type { Reader, Store } from '../store/db/db.ts'
import type { AccessTokens } from './access-tokens.ts'
import { ContentQuotaExceeded, type ContentStorage } from './content-storage.ts'
import { readStore } from './oauth-access.ts'
import type { Vault } from './vault.ts'

export interface GraphCallDeps extends ContextDeps {
  readonly store: Store
  readonly vault: Vault
  readonly tokens: Pick<AccessTokens, 'find'>
  readonly contents: Pick<ContentStorage, 'save'>
  readonly allowed_hosts: readonly string[]
  readonly approved_scopes: ApprovedScopes
  readonly m365_graph_url: string
  readonly version: string
}

type Arguments = Readonly<Record<string, unknown>>
type Client = Pick<GraphClientDeps, 'signal' | 'request_id'> & { readonly server: ConnectorServer }

/** Whether the calls of a server go to Microsoft Graph and not to an MCP server. */
export const usesGraph = ({ provider }: Pick<ConnectorServer, 'provider'>): boolean => provider === 'm365'

/** The client of Graph is loaded when it is first used, because the start does not need it. */
const loadGraph = () => import('../connectors/graph/operations/graph-call.ts')

/** Makes the calls of Microsoft 365. */
export class GraphCalls {
  readonly #deps: GraphCallDeps

  constructor(deps: GraphCallDeps) {
    this.#deps = deps
  }

  /** Performs the operation of a call, if the token has its scopes. */
  async call(
    server: ConnectorServer,
    dispatch: DispatchRow,
    given: Arguments,
    signal: AbortSignal,
  ): Promise<ToolCallFinding> {
    const { store, contents, approved_scopes } = this.#deps
    const family = dispatch.tool_name
    if (!isFamily(family))
      return { kind: 'fault', reason_code: 'tool_not_supported', message: 'There is no such operation.' }
    const operation = readCallOperation(server, family, { ...dispatch, arguments: { ...given } })
    const checked = { family, operation, approved: approved_scopes }
    const block = readStore(store, (reader) => findBlock(reader, server, checked))
    if (block !== undefined) return toBlockedFinding(block)
    const granted_scopes =
      readStore(store, (reader) => findServerProfile(reader, server.server_id))?.scopes_granted ?? []
    const { callGraph } = await loadGraph()
    const parts = {
      granted_scopes,
      dispatch_id: dispatch.dispatch_id,
      saveContent: (
        pieces: AsyncIterable<Buffer> | Iterable<Buffer>,
        facts: { file_name: string; media_type: string },
      ) => contents.save(pieces, facts, dispatch),
      findProject: (projectId: string) => readStore(store, (reader) => findPlaces(reader, projectId)),
    }
    try {
      const client = this.#openClient({ server, signal, request_id: dispatch.correlation_id })
      const finding = await callGraph(operation, parts, client)
      return finding.kind === 'answer' ? this.#toResult(dispatch, finding.answer) : toFinding(finding.facts)
    } catch (error) {
      if (!(error instanceof ContentQuotaExceeded)) throw error
      return { kind: 'fault', reason_code: 'content_quota_exceeded', message: error.message, is_answer: true }
    }
  }

  /** Tests the connection of a server: who is signed in, and one operation that reads if it is named. */
  async test(
    server: ConnectorServer,
    call: { readonly tool_name: string; readonly arguments: Arguments } | undefined,
    max_duration_ms: number,
  ): Promise<ContactFinding> {
    const signal = AbortSignal.timeout(max_duration_ms)
    const tools = describeTools(readFamilies(server.supported_tools))
    const reached = { ...(await this.probe(server, signal)), tools }
    if (call === undefined || reached.fault !== undefined) return reached
    const isReadable = tools.some(({ name, reads_only }) => name === call.tool_name && reads_only)
    if (!isReadable) return { ...reached, call: 'refused' }
    return { ...reached, ...(await this.#testOperation(server, call, signal)) }
  }

  /** Asks Graph who is signed in. */
  async probe(server: ConnectorServer, signal: AbortSignal): Promise<ContactFinding> {
    const { store, newId } = this.#deps
    const { pingGraph } = await loadGraph()
    const profile = readStore(store, (reader) => findServerProfile(reader, server.server_id))
    const is_service = profile?.auth_mode === 'oauth2_client_credentials'
    const facts = await pingGraph({ is_service }, this.#openClient({ server, signal, request_id: newId() }))
    // Who may not read the profile is signed in, too.
    if (facts === undefined || facts.reason_code === 'graph_forbidden') return { connected: true, call: 'none' }
    const { reason_code, message, http_status, retry_after_ms } = facts
    const fault = { reason_code, message, http_status, retry_after_ms }
    return { connected: http_status !== undefined, call: 'none', fault }
  }

  /** A call that failed also has an answer of its family, with the scopes and the identity. */
  describeFault(dispatch: DispatchRow, server: ConnectorServer, fault: DispatchFault): DispatchFault {
    const { store, vault, newId } = this.#deps
    const { sign_in, http_status, retry_after_ms, message } = fault
    const isThrottled = http_status === 429 || http_status === 503
    const error_code =
      fault.error_code ??
      (sign_in === undefined ? undefined : findSignInCode(server.provider, sign_in.kind)) ??
      (isThrottled ? 'MCP_THROTTLED' : fault.reason_code)
    const receipt_id = newId()
    const isBlocked = sign_in !== undefined || fault.is_refusal === true
    const response = store.read((reader) =>
      describeRefusal(reader, dispatch, {
        status: isBlocked ? 'blocked' : 'failed',
        error_code,
        error_message: message,
        missing_scopes: sign_in?.scopes ?? [],
        receipt_id,
        ...(isThrottled
          ? {
              throttle_state: {
                state: nameThrottle(http_status, retry_after_ms),
                retry_after_ms,
                last_http_status: http_status,
              },
            }
          : {}),
      }),
    )
    return {
      ...fault,
      error_code,
      receipt_id,
      sealed: vault.seal(formatResultRef(dispatch.dispatch_id), formatRefusal(response)),
    }
  }

  async #testOperation(
    server: ConnectorServer,
    { tool_name, arguments: given }: { readonly tool_name: string; readonly arguments: Arguments },
    signal: AbortSignal,
  ): Promise<Pick<ContactFinding, 'call' | 'fault'>> {
    const { newId, clock } = this.#deps
    const trial: DispatchRow = {
      dispatch_id: newId(),
      correlation_id: newId(),
      // A test has no caller. The id of a server is no user, so nobody can read what the test fetches.
      user_id: server.server_id,
      server_id: server.server_id,
      tool_name,
      action_class: 'read',
      status: 'running',
      approval_mode: 'autonomous',
      max_duration_ms: 60_000,
      policy_trace: [],
      created_at: clock().toISOString(),
    }
    const finding = await this.call(server, trial, given, signal)
    if (finding.kind === 'result') return { call: 'done' }
    const { reason_code, message, http_status } = finding
    return { call: 'failed', fault: { reason_code, message, http_status } }
  }

  #openClient({ server, signal, request_id }: Client): GraphClientDeps {
    const { allowed_hosts, m365_graph_url, version, tokens, clock } = this.#deps
    return {
      base_url: server.endpoint_url ?? m365_graph_url,
      allowed_hosts,
      bearer: tokens.find(server.server_id),
      signal,
      version,
      request_id,
      now: () => clock().getTime(),
    }
  }

  #toResult(dispatch: DispatchRow, { result, missing_scopes = [] }: OperationAnswer): ToolCallFinding {
    const { store, newId } = this.#deps
    const receipt_id = newId()
    const base = store.read((reader) => describeResponse(reader, dispatch, { missing_scopes, receipt_id }))
    const response = { ...base, status: missing_scopes.length === 0 ? 'ok' : 'degraded', result }
    return {
      kind: 'result',
      result: { content: [{ type: 'text', text: JSON.stringify(result) }], structuredContent: response },
      receipt_id,
    }
  }
}

/** Where the documents of a project are, if its binding is the only one that is meant. */
function findPlaces(reader: Reader, projectId: string): ProjectPlaces | undefined {
  const { matches, resolution_state } = findProject(reader, { query: projectId })
  const binding = resolution_state === 'resolved' ? matches[0]?.binding : undefined
  return binding && { folder_refs: binding.onedrive_refs, site_refs: binding.sharepoint_refs }
}

/** The token lacks a scope, or the way to sign in is not allowed any more. */
function toBlockedFinding({ code, message, missing_scopes }: CallBlock): ToolCallFinding {
  if (missing_scopes.length > 0) return { kind: 'fault', reason_code: 'scope_missing', message, missing_scopes }
  return { kind: 'fault', reason_code: code, message, is_refusal: true }
}

const toFinding = ({
  reason_code,
  message,
  http_status,
  retry_after_ms,
  is_answer,
  graph_code,
}: GraphFaultFacts): ToolCallFinding => ({
  kind: 'fault',
  reason_code,
  message: graph_code === undefined ? message : `${message} (${graph_code})`,
  http_status,
  retry_after_ms,
  is_answer,
})
