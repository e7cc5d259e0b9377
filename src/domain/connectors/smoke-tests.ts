import type { ConnectorServer } from '@apprentice/contracts/connectors/server.ts'
import type { SmokeTestResult } from '@apprentice/contracts/connectors/servers.ts'
import { Failure } from '../../failure/failure.ts'
import { type HealthRecord, UNKNOWN_HEALTH } from '../../knowledge/connectors/connection-health.ts'
import { decideConnectorPolicy } from '../../knowledge/connectors/connector-policy.ts'
import type { ContactFinding } from '../../knowledge/connectors/contact-finding.ts'
import { findHealth, findServer } from '../../store/connectors/servers.ts'
import type { Reader } from '../../store/db/db.ts'
import type { CommandContext } from '../command/context.ts'
import { MAX_TOOL_NAME, MAX_TOOLS, recordFinding } from './findings.ts'
import { recordConnectorReceipt } from './registry/receipts.ts'
import { getServer, readAuthStatus } from './registry/server-view.ts'
import { listPolicyDecisions } from './registry/policy-decisions.ts'
import { hasUsableKey, recordAcceptedKey, recordRefusedSignIn } from './sign-in/refused-sign-ins.ts'
import { findServerProfile } from './sign-in/tokens.ts'

export interface SmokeTest {
  readonly server_id: string
  readonly tool_name?: string | undefined
  readonly started_at: string
  /** A number from 0 to 1 that spreads the next attempts after throttling. */
  readonly jitter: number
}

const UNAUTHORIZED = 401
const RECEIPT_STATUS = { passed: 'ok', degraded: 'degraded', failed: 'failed', blocked: 'blocked' } as const

/** The server to test. A server that must not be used now is not contacted. */
export function prepareSmokeTest(reader: Reader, serverId: string, now: string): ConnectorServer {
  const server = getServer(reader, serverId)
  const { display_name, provider, server_id } = server
  if (!server.active_build_surface || !server.supports_smoke_test) {
    throw new Failure('MCP_SERVER_NOT_ACTIVE_IN_BUILD', `${display_name} cannot be tested in this build.`)
  }
  if (!server.enabled) throw new Failure('MCP_SERVER_DISABLED', `${display_name} is disabled. Enable it first.`)
  const { decision } = decideConnectorPolicy(
    listPolicyDecisions(reader),
    { provider, server_id, action_class: 'read' },
    now,
  )
  if (decision.mode === 'disabled') {
    throw new Failure('MCP_POLICY_DENIED', `The connector policy switches ${display_name} off.`)
  }
  return server
}

/** Whether there is a token to test with. Throws if not. */
export function assertSignedIn(reader: Reader, server: ConnectorServer, now: string): void {
  const { auth_state, expires_at } = readAuthStatus(reader, server)
  const isExpired = expires_at !== undefined && expires_at <= now
  if ((auth_state === 'healthy' || auth_state === 'unknown') && !isExpired) return
  const profile = findServerProfile(reader, server.server_id)
  if (profile?.auth_mode === 'api_key' && hasUsableKey(reader, profile)) return
  const details = { auth_state: isExpired && auth_state === 'healthy' ? 'expired' : auth_state }
  throw new Failure('MCP_AUTH_CHALLENGE_REQUIRED', `Sign in to ${server.display_name} first.`, { details })
}

/** Records what a smoke test found: the health of the server, its tools, and a receipt. */
export function recordSmokeTest(ctx: CommandContext, test: SmokeTest, finding: ContactFinding): SmokeTestResult {
  const server = findServer(ctx.tx, test.server_id)
  if (server === undefined) throw new Failure('MCP_SERVER_NOT_FOUND', 'The server was removed during the test.')
  const health = recordContact(ctx, server, { finding, test })
  const result = describeResult(test, finding, health)
  const receipt_id = recordConnectorReceipt(ctx, 'smoke_test', {
    server_id: server.server_id,
    status: RECEIPT_STATUS[result.status],
    summary: result.summary,
  })
  return {
    server_id: server.server_id,
    smoke_test_id: ctx.newId(),
    ...result,
    receipt_id,
    started_at: test.started_at,
    completed_at: ctx.now,
    schema_version: 1,
  }
}

function recordContact(
  ctx: CommandContext,
  server: ConnectorServer,
  { finding, test }: { readonly finding: ContactFinding; readonly test: SmokeTest },
): HealthRecord {
  const { fault } = finding
  if (fault?.http_status === UNAUTHORIZED && recordRefusedSignIn(ctx, server)) {
    return findHealth(ctx.tx, server.server_id) ?? UNKNOWN_HEALTH
  }
  if (fault === undefined) recordAcceptedKey(ctx, server)
  return recordFinding(ctx, server, finding, test)
}

type Described = Pick<
  SmokeTestResult,
  | 'status'
  | 'overall_status'
  | 'auth_ok'
  | 'transport_ok'
  | 'tool_discovery_ok'
  | 'discovered_tools'
  | 'failure_reason_code'
  | 'error_code'
> & { summary: string }

function describeResult({ tool_name }: SmokeTest, finding: ContactFinding, health: HealthRecord): Described {
  const { connected, tools, call, fault } = finding
  const facts = {
    auth_ok: fault?.http_status !== UNAUTHORIZED,
    transport_ok: connected,
    tool_discovery_ok: tools !== undefined,
    discovered_tools: (tools ?? []).map(({ name }) => name.slice(0, MAX_TOOL_NAME)).slice(0, MAX_TOOLS),
  }
  if (fault !== undefined) {
    const failed = { status: 'failed', overall_status: 'failed' } as const
    return {
      ...facts,
      ...failed,
      failure_reason_code: fault.reason_code,
      error_code: fault.reason_code,
      summary: fault.message,
    }
  }
  if (call === 'refused') {
    const summary = `${tool_name ?? ''} was not called: it may write, or it is not among the supported tools.`
    const blocked = { status: 'blocked', overall_status: 'failed', failure_reason_code: 'tool_not_allowed' } as const
    return { ...facts, ...blocked, error_code: 'tool_not_allowed', summary }
  }
  if (health.health_status === 'degraded') {
    const failure_reason_code = health.health_reason_code ?? 'degraded'
    const summary = `The server answered, but is degraded: ${failure_reason_code}.`
    return { ...facts, status: 'degraded', overall_status: 'degraded', failure_reason_code, summary }
  }
  const summary = tools === undefined ? 'The server answered.' : `The server answered and offers ${tools.length} tools.`
  return { ...facts, status: 'passed', overall_status: 'healthy', summary }
}
