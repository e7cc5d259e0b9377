import type { ConnectorServer } from '@apprentice/contracts/connectors/server.ts'
import { UNKNOWN_HEALTH } from '../../knowledge/connectors/connection-health.ts'
import { decideConnectorPolicy } from '../../knowledge/connectors/connector-policy.ts'
import type { ContactFinding } from '../../knowledge/connectors/contact-finding.ts'
import { hashTools } from '../../knowledge/connectors/tool-facts.ts'
import { findProbe, listServersToProbe, upsertProbe } from '../../store/connectors/probes.ts'
import { findHealth, findServer } from '../../store/connectors/servers.ts'
import type { Reader } from '../../store/db/db.ts'
import type { CommandContext } from '../command/context.ts'
import { recordFinding } from './findings.ts'
import { isExpired } from './sign-in/sign-in-checks.ts'
import { hasUsableKey, recordAcceptedKey, recordRefusedSignIn } from './sign-in/refused-sign-ins.ts'
import { findServerProfile } from './sign-in/tokens.ts'
import { listPolicyDecisions } from './registry/policy-decisions.ts'

const INTERVAL_MS = 60_000
/** Probes are spread, so that servers that were registered together are not asked together for ever. */
const SPREAD = 0.2
const BATCH_SIZE = 100
const UNAUTHORIZED = 401

/** Whether a server is due to be asked. A read, so that a daemon without due servers writes nothing. */
export const hasServersToProbe = (reader: Reader, now: string): boolean => listServersToProbe(reader, now, 1).length > 0

/**
 * Chooses the servers to ask now and sets when each is due again, before any is asked, so that a kill repeats nothing. A
 * server that is seen for the first time gets a time within the next interval.
 */
export function planProbes(ctx: CommandContext, random: () => number): ConnectorServer[] {
  const later = (ms: number): string => new Date(Date.parse(ctx.now) + Math.round(ms)).toISOString()
  const chosen: ConnectorServer[] = []
  for (const server of listServersToProbe(ctx.tx, ctx.now, BATCH_SIZE)) {
    const { server_id } = server
    const row = findProbe(ctx.tx, server_id)
    const next = later(row === undefined ? INTERVAL_MS * random() : INTERVAL_MS * (1 - SPREAD / 2 + SPREAD * random()))
    const { backoff_until } = findHealth(ctx.tx, server_id) ?? UNKNOWN_HEALTH
    const isPaused = backoff_until !== undefined && backoff_until > ctx.now
    upsertProbe(ctx.tx, {
      server_id,
      next_probe_at: isPaused && backoff_until > next ? backoff_until : next,
      last_probe_at: row?.last_probe_at,
    })
    if (row !== undefined && !isPaused && mayProbe(ctx, server)) chosen.push(server)
  }
  return chosen
}

/** A server that was used a moment ago, or that a person has to sign in to, is not asked. */
function mayProbe(ctx: CommandContext, server: ConnectorServer): boolean {
  const { server_id, provider } = server
  const policy = decideConnectorPolicy(
    listPolicyDecisions(ctx.tx),
    { provider, server_id, action_class: 'read' },
    ctx.now,
  )
  if (policy.decision.mode === 'disabled') return false
  const profile = findServerProfile(ctx.tx, server_id)
  const signsIn = profile?.auth_mode.startsWith('oauth2_') === true
  if (profile !== undefined && signsIn && (profile.status !== 'healthy' || isExpired(profile, ctx.now))) return false
  if (profile?.auth_mode === 'api_key' && !hasUsableKey(ctx.tx, profile)) return false
  const used = findHealth(ctx.tx, server_id)?.last_checked_at
  return used === undefined || Date.parse(ctx.now) - Date.parse(used) >= INTERVAL_MS / 2
}

/**
 * Records how a probe ended. An answer of a server that is known to be healthy changes nothing but the time, so that
 * probes of many servers cost little.
 */
export function recordProbe(ctx: CommandContext, serverId: string, finding: ContactFinding, jitter: number): void {
  const server = findServer(ctx.tx, serverId)
  const row = findProbe(ctx.tx, serverId)
  if (server === undefined || row === undefined) return
  upsertProbe(ctx.tx, { ...row, last_probe_at: ctx.now })
  if (finding.fault?.http_status === UNAUTHORIZED && recordRefusedSignIn(ctx, server)) return
  if (finding.fault === undefined) recordAcceptedKey(ctx, server)
  if (isNews(ctx.tx, server, finding)) recordFinding(ctx, server, finding, { jitter })
}

function isNews(reader: Reader, server: ConnectorServer, { fault, tools }: ContactFinding): boolean {
  const health = findHealth(reader, server.server_id) ?? UNKNOWN_HEALTH
  const isQuiet =
    health.health_status === 'healthy' && health.failures.length === 0 && health.throttle_state.state === 'none'
  const isChanged = tools !== undefined && hashTools(tools) !== server.tool_schema_hash
  return !isQuiet || fault !== undefined || isChanged
}
