import type { ConnectionHealth, ConnectorServer } from '@apprentice/contracts/connectors/server.ts'
import type { PolicyMode } from '@apprentice/contracts/connectors/values.ts'
import type { ProjectSourceBinding } from '@apprentice/contracts/projects/bindings.ts'

/** What is known about a server that could be used. */
export interface ServerCandidate {
  readonly registry: ConnectorServer
  readonly health: Pick<ConnectionHealth, 'health_status' | 'backoff_until'>
  readonly mode: PolicyMode
}

export interface ServerQuestion {
  readonly tool_name?: string | undefined
  /** Where the documents of the project are, if the work is for one. */
  readonly binding?: ProjectSourceBinding | undefined
  readonly now: string
}

/** The parts of a score, most important first. Larger is better. */
interface Score {
  readonly policy: number
  readonly tool: number
  readonly project: number
  readonly health: number
  readonly transport: number
  readonly pause: number
}

export interface ServerChoice {
  readonly decision: 'allow' | 'ask_first' | 'degraded' | 'deny' | 'no_route'
  readonly server_id?: string
  /** Every candidate, the best first. */
  readonly scores: readonly { readonly server_id: string; readonly score: Score }[]
}

const PARTS = ['policy', 'tool', 'project', 'health', 'transport', 'pause'] as const
const POLICY_SCORE: Readonly<Record<PolicyMode, number>> = { enabled: 2, ask_first: 1, disabled: 0 }
const HEALTH_SCORE = { healthy: 2, unknown: 1, degraded: 0, disabled: 0 } as const
const CLOUD_TRANSPORT = { provider_native: 2, remote_http: 1, local_bridge: 0 } as const
const LOCAL_TRANSPORT = { local_bridge: 2, provider_native: 1, remote_http: 0 } as const
const LOCAL_SOURCES: readonly string[] = ['doc7_bucket', 'core_project']

/**
 * Chooses a server: by policy, then whether it has the tool, then whether it has the documents of the project, then by
 * health, transport and pauses. Of equal servers the first by id is taken. One that is disabled, switched off or without
 * the tool is never taken.
 */
export function chooseServer(candidates: readonly ServerCandidate[], question: ServerQuestion): ServerChoice {
  const usable = candidates.filter(({ registry }) => registry.enabled && registry.active_build_surface)
  const scored = usable
    .map((candidate) => ({ candidate, server_id: candidate.registry.server_id, score: rate(candidate, question) }))
    .toSorted((a, b) => compareScores(b.score, a.score) || (a.server_id < b.server_id ? -1 : 1))
  const scores = scored.map(({ server_id, score }) => ({ server_id, score }))
  const allowed = scored.filter(({ score }) => score.tool > 0)
  const best = allowed.find(({ score }) => score.policy > 0)
  if (best === undefined) return { decision: allowed.length > 0 ? 'deny' : 'no_route', scores }
  const { mode, health } = best.candidate
  const decision = mode === 'ask_first' ? 'ask_first' : health.health_status === 'degraded' ? 'degraded' : 'allow'
  return { decision, server_id: best.server_id, scores }
}

function rate({ registry, health, mode }: ServerCandidate, { tool_name, binding, now }: ServerQuestion): Score {
  const { supported_tools, transport } = registry
  const isLocal = binding !== undefined && LOCAL_SOURCES.includes(binding.source_of_truth)
  return {
    policy: POLICY_SCORE[mode],
    tool: tool_name === undefined || supported_tools.includes(tool_name) ? 1 : 0,
    project: binding !== undefined && hasDocuments(registry, binding) ? 1 : 0,
    health: HEALTH_SCORE[health.health_status],
    transport: (isLocal ? LOCAL_TRANSPORT : CLOUD_TRANSPORT)[transport],
    pause: health.backoff_until !== undefined && health.backoff_until > now ? 0 : 1,
  }
}

/** Whether a server reaches where the documents of a project are. */
function hasDocuments({ provider, transport, endpoint_url }: ConnectorServer, binding: ProjectSourceBinding): boolean {
  if (LOCAL_SOURCES.includes(binding.source_of_truth)) return transport === 'local_bridge'
  const refs = [...binding.sharepoint_refs, ...binding.onedrive_refs, ...binding.teams_refs]
  if (provider === 'm365') return true
  const host = endpoint_url === undefined ? undefined : new URL(endpoint_url).host
  return refs.some((ref) => URL.canParse(ref) && new URL(ref).host === host)
}

function compareScores(a: Score, b: Score): number {
  for (const part of PARTS) if (a[part] !== b[part]) return a[part] - b[part]
  return 0
}
