import type { ConnectorServer } from '@apprentice/contracts/connectors/server.ts'
import type { ToolCall, ToolCallFinding } from '../connectors/tool-call.ts'
import { systemActor, writePatientlyAs } from '../domain/command/context.ts'
import { observeConnectorCall } from '../domain/capture/connector-calls.ts'
import { acknowledgeResume } from '../domain/connectors/approvals.ts'
import { endDispatch, recordOutcome } from '../domain/connectors/dispatch-outcomes.ts'
import { setDispatch } from '../domain/connectors/dispatch-rows.ts'
import { assertStillAllowed } from '../domain/connectors/dispatches.ts'
import { isExpired } from '../domain/connectors/sign-in/sign-in-checks.ts'
import { findServerProfile } from '../domain/connectors/sign-in/tokens.ts'
import { formatPayloadRef, formatResultRef, readSecretText } from '../domain/connectors/registry/vault.ts'
import { Failure } from '../failure/failure.ts'
import { type JobHandler, JobStopped } from '../jobs/handler.ts'
import type { DispatchFault, DispatchOutcome } from '../knowledge/connectors/dispatch-outcome.ts'
import { forgetJobResult } from '../store/command/jobs.ts'
import { type DispatchRow, findDispatch } from '../store/connectors/dispatches.ts'
import { findServer } from '../store/connectors/servers.ts'
import type { AccessTokens } from './access-tokens.ts'
import type { CallProgress } from './call-progress.ts'
import { startCallSpan, type StartSpan } from './connector-spans.ts'
import { type GraphCalls, usesGraph } from './graph-calls.ts'
import { type OAuthDeps, readStore } from './oauth-access.ts'
import type { ServerConnections } from './server-connections.ts'

export interface DispatchDeps extends OAuthDeps {
  readonly tokens: AccessTokens
  readonly connections: ServerConnections
  /** Hears how far a running call is. */
  readonly progress: CallProgress
  readonly graph: GraphCalls
  readonly startSpan: StartSpan
}

const UNAUTHORIZED = 401
/** It is encrypted, stored and sent in single turns of the event loop. */
const MAX_RESULT_BYTES = 3_000_000

/** Makes the calls. One that a stop of the daemon interrupts is not made again, because its effects are unknown. */
export function dispatchJobs(deps: DispatchDeps): JobHandler {
  const readId = (payload: unknown): string => (payload as { dispatch_id: string }).dispatch_id
  return {
    resume: 'interrupt',
    onStarted: (ctx, job) => {
      const dispatch = findDispatch(ctx.tx, readId(job.payload))
      if (dispatch === undefined) return
      acknowledgeResume(ctx, dispatch.dispatch_id)
      setDispatch(ctx, { ...dispatch, status: 'running', started_at: ctx.now })
    },
    run: async (job, signal) => {
      const id = readId(job.payload)
      try {
        return await new Dispatch(deps, id, signal).run()
      } finally {
        deps.progress.forget(id)
      }
    },
    onSettled: (ctx, job) => {
      const id = readId(job.payload)
      if (job.state === 'succeeded') {
        const outcome = job.result as DispatchOutcome
        recordOutcome(ctx, deps.vault, id, { outcome, jitter: Math.random() })
        // What the server answered is kept in the vault only, for its time.
        forgetJobResult(ctx.tx, job.job_id)
        observeConnectorCall(ctx, id)
        return
      }
      const status = job.state === 'cancelled' || job.state === 'interrupted' ? job.state : 'failed'
      endDispatch(ctx, id, { status, error_code: job.state === 'expired' ? 'timeout' : job.state })
    },
  }
}

/** One call: token, call, and at most one refresh of the token. */
class Dispatch {
  readonly #deps: DispatchDeps
  readonly #id: string
  readonly #signal: AbortSignal
  #hasRefreshed = false

  constructor(deps: DispatchDeps, id: string, signal: AbortSignal) {
    this.#deps = deps
    this.#id = id
    this.#signal = signal
  }

  async run(): Promise<DispatchOutcome> {
    const { store, vault, clock } = this.#deps
    const dispatch = readStore(store, (reader) => findDispatch(reader, this.#id))
    const payload = readStore(store, (reader) => readSecretText(reader, vault, formatPayloadRef(this.#id)))
    if (dispatch === undefined || payload === undefined) {
      return {
        kind: 'fault',
        reason_code: 'payload_unreadable',
        message: 'The vault lacks the call.',
        is_refusal: true,
      }
    }
    try {
      const now = clock().toISOString()
      readStore(store, (reader) => assertStillAllowed(reader, dispatch, now))
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      return this.#describe(dispatch, {
        kind: 'fault',
        reason_code: error.code,
        message: error.message,
        is_refusal: true,
      })
    }
    const given = JSON.parse(payload) as Record<string, unknown>
    const outcome = this.#finish(dispatch, await this.#call(dispatch, given))
    return outcome.kind === 'fault' ? this.#describe(dispatch, outcome) : outcome
  }

  async #call(dispatch: DispatchRow, given: Record<string, unknown>): Promise<ToolCallFinding | 'sign_in'> {
    const { store, clock } = this.#deps
    const { server_id, tool_name, max_duration_ms } = dispatch
    const uses_defaults = dispatch.on_question === 'use_defaults'
    const server = readStore(store, (reader) => assertStillAllowed(reader, dispatch, clock().toISOString()))
    const profile = readStore(store, (reader) => findServerProfile(reader, server_id))
    const signsIn = profile?.auth_mode.startsWith('oauth2_') ?? false
    const isDue = profile !== undefined && (profile.status !== 'healthy' || isExpired(profile, clock().toISOString()))
    if (signsIn && isDue && !(await this.#refresh(dispatch))) return 'sign_in'
    const finding = await this.#contact(server, dispatch, {
      tool_name,
      arguments: given,
      max_duration_ms,
      uses_defaults,
    })
    const isRefused = finding.kind === 'fault' && finding.http_status === UNAUTHORIZED
    // The server did not accept the token, so it has not made the call.
    if (isRefused && signsIn && (await this.#refresh(dispatch))) return this.#call(dispatch, given)
    return isRefused && (signsIn || profile?.auth_mode === 'api_key') ? 'sign_in' : finding
  }

  /** Each contact with the server is a span, so that a call after a refused token is two. */
  async #contact(server: ConnectorServer, dispatch: DispatchRow, call: ToolCall): Promise<ToolCallFinding> {
    const { startSpan } = this.#deps
    const { server_id } = server
    const span = startCallSpan(startSpan, { server_id, tool_name: call.tool_name })
    const finding = usesGraph(server)
      ? await this.#deps.graph.call(server, dispatch, call.arguments, this.#signal)
      : await this.#callTool(server, { ...call, trace: span?.context })
    if (finding.kind === 'fault') span?.fail(finding.reason_code)
    else if (finding.result.isError === true) span?.fail('tool_error')
    span?.end()
    return finding
  }

  #callTool(server: ConnectorServer, call: ToolCall): Promise<ToolCallFinding> {
    const { tokens, connections, progress } = this.#deps
    const target = { ...server, bearer: tokens.find(server.server_id) }
    return connections.call(target, { ...call, onProgress: progress.follow(this.#id) }, this.#signal)
  }

  /** A call of Microsoft 365 that failed has an answer of its own form. */
  #describe(dispatch: DispatchRow, fault: DispatchFault): DispatchFault {
    const server = readStore(this.#deps.store, (reader) => findServer(reader, dispatch.server_id))
    return server !== undefined && usesGraph(server) ? this.#deps.graph.describeFault(dispatch, server, fault) : fault
  }

  /** Gets a new token, once for a call and only if the profile allows it without a person. */
  async #refresh({ server_id, user_id, correlation_id }: DispatchRow): Promise<boolean> {
    if (this.#hasRefreshed) return false
    this.#hasRefreshed = true
    const request = { server_id, force: true, is_automatic: true }
    try {
      const origin = { actor: systemActor(user_id), correlation_id }
      const { auth_state } = await this.#deps.tokens.refresh(request, (work) =>
        writePatientlyAs(this.#deps, origin, work),
      )
      return auth_state === 'healthy'
    } catch (error) {
      if (error instanceof Failure) return false
      throw error
    }
  }

  #finish(dispatch: DispatchRow, finding: ToolCallFinding | 'sign_in'): DispatchOutcome {
    if (finding === 'sign_in') return demandSignIn('reauth', [])
    if (finding.kind === 'fault') {
      // What became of a call that was stopped is unknown, and says nothing about the server.
      const { reason } = this.#signal as { reason: unknown }
      if (reason instanceof JobStopped && reason.state !== 'expired') throw reason
      const { missing_scopes, ...fault } = finding
      return missing_scopes === undefined ? fault : demandSignIn('incremental_consent', missing_scopes)
    }
    const { content, structuredContent, isError = false } = finding.result
    const text = JSON.stringify({ content, structured_content: structuredContent, is_error: isError })
    if (Buffer.byteLength(text) > MAX_RESULT_BYTES) {
      return { kind: 'fault', reason_code: 'result_too_large', message: 'The tool answered with too much data.' }
    }
    const sealed = this.#deps.vault.seal(formatResultRef(dispatch.dispatch_id), text)
    return { kind: 'result', sealed, receipt_id: finding.receipt_id }
  }
}

const demandSignIn = (kind: 'reauth' | 'incremental_consent', scopes: readonly string[]): DispatchFault => ({
  kind: 'fault',
  reason_code: 'sign_in_required',
  message: kind === 'reauth' ? 'A person has to sign in again.' : 'A person has to agree to more scopes.',
  sign_in: { kind, scopes },
})
