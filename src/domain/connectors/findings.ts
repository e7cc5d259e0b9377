import type { ConnectorServer } from '@apprentice/contracts/connectors/server.ts'
import {
  applyContact,
  type ContactResult,
  type HealthRecord,
  UNKNOWN_HEALTH,
} from '../../knowledge/connectors/connection-health.ts'
import type { ContactFinding } from '../../knowledge/connectors/contact-finding.ts'
import { hashTools, type ToolFacts } from '../../knowledge/connectors/tool-facts.ts'
import { findHealth, upsertHealth, upsertServer } from '../../store/connectors/servers.ts'
import { replaceTools } from '../../store/connectors/tools.ts'
import type { CommandContext } from '../command/context.ts'
import { recordEvent } from '../command/ledger.ts'

interface FindingDetails {
  /** The tool that was called, if one was. */
  readonly tool_name?: string | undefined
  /** A number from 0 to 1 that spreads the next attempts after throttling. */
  readonly jitter: number
}

const TOO_MANY_REQUESTS = 429
const SERVICE_UNAVAILABLE = 503
export const [MAX_TOOLS, MAX_TOOL_NAME] = [500, 120]
const [MAX_TITLE, MAX_DESCRIPTION] = [200, 4000]

/** Changes the health of a server by how a contact ended, and keeps what it said about its tools. */
export function recordFinding(
  ctx: CommandContext,
  server: ConnectorServer,
  finding: ContactFinding,
  details: FindingDetails,
): HealthRecord {
  const { server_id } = server
  const before = findHealth(ctx.tx, server_id) ?? UNKNOWN_HEALTH
  const contact = applyContact(before, toContactResult(finding, details.tool_name), ctx.now, details.jitter)
  const { health, tool_schema_hash } = compareTools(server, { before, contact }, finding)
  upsertHealth(ctx.tx, server_id, health)
  // The program defines the tools of Microsoft 365.
  if (finding.tools !== undefined && server.provider !== 'm365') storeTools(ctx, server_id, finding.tools)
  const protocol_revision = finding.protocol_revision ?? server.protocol_revision
  if (protocol_revision !== server.protocol_revision || tool_schema_hash !== server.tool_schema_hash) {
    upsertServer(ctx.tx, { ...server, protocol_revision, tool_schema_hash })
    recordEvent(ctx, `connector/${server_id}`, 'mcp.server.changed', { server_id })
  }
  if (health.health_status !== before.health_status || health.throttle_state.state !== before.throttle_state.state) {
    const { health_status } = health
    recordEvent(ctx, `connector/${server_id}`, 'mcp.health.changed', { server_id, health_status })
  }
  return health
}

function toContactResult({ connected, call, fault }: ContactFinding, toolName: string | undefined): ContactResult {
  const tool = call === 'none' || call === 'refused' || toolName === undefined ? {} : { tool_name: toolName }
  if (fault === undefined) return { kind: 'success', ...tool }
  const { http_status, retry_after_ms } = fault
  if (http_status === TOO_MANY_REQUESTS || http_status === SERVICE_UNAVAILABLE) {
    return { kind: 'throttled', http_status, ...(retry_after_ms === undefined ? {} : { retry_after_ms }) }
  }
  return {
    kind: 'failure',
    reason_code: fault.reason_code,
    error: fault.message,
    http_status,
    ...(connected ? tool : {}),
  }
}

/** A server whose tools changed is degraded until an administrator has looked at them and changed the list of tools. */
function compareTools(
  { tool_schema_hash, provider }: ConnectorServer,
  { before, contact }: { readonly before: HealthRecord; readonly contact: HealthRecord },
  { tools }: ContactFinding,
): { health: HealthRecord; tool_schema_hash: string | undefined } {
  const changed = { health_status: 'degraded', health_reason_code: 'tool_schema_changed' } as const
  // A new version of the program may define other tools of Microsoft 365, which is no change of the server.
  if (tools === undefined || provider === 'm365') {
    const isStillChanged = before.health_reason_code === changed.health_reason_code
    return { health: isStillChanged ? { ...contact, ...changed } : contact, tool_schema_hash }
  }
  const hash = hashTools(tools)
  if (tool_schema_hash === undefined || hash === tool_schema_hash) return { health: contact, tool_schema_hash: hash }
  return { health: { ...contact, ...changed }, tool_schema_hash }
}

/** Keeps what the server says about its tools, for calls and for agents. Longer names cannot be called. */
function storeTools(ctx: CommandContext, server_id: string, tools: readonly ToolFacts[]): void {
  const rows = tools
    .filter(({ name }) => name.length > 0 && name.length <= MAX_TOOL_NAME)
    .slice(0, MAX_TOOLS)
    .map(({ name, title, description, input_schema, annotations }) => ({
      server_id,
      tool_name: name,
      title: title?.slice(0, MAX_TITLE),
      description: description?.slice(0, MAX_DESCRIPTION),
      input_schema: input_schema as Record<string, unknown>,
      annotations: { ...annotations },
    }))
  replaceTools(ctx.tx, server_id, rows)
}
