import type { Provider } from '@apprentice/contracts/connectors/values.ts'
import { Failure } from '../../failure/failure.ts'
import { chooseServer, type ServerChoice } from '../../knowledge/connectors/server-choice.ts'
import { listServers } from '../../store/connectors/servers.ts'
import { findBinding } from '../../store/projects/bindings.ts'
import type { Reader } from '../../store/db/db.ts'
import { isBuiltIn } from './registry/built-in-server.ts'
import { decidePolicy, findActionClass } from './dispatches.ts'
import { readServerHealth } from './registry/server-view.ts'

interface WantedTool {
  readonly provider: Provider
  readonly tool_name: string
  readonly project_id?: string | undefined
}

/** The servers of a provider that have a tool, the best first. */
export function rankServers(
  reader: Reader,
  { provider, tool_name, project_id }: WantedTool,
  now: string,
): ServerChoice {
  const candidates = listServers(reader)
    .filter((server) => server.provider === provider && !isBuiltIn(server.server_id))
    .map((registry) => {
      const action_class = findActionClass(reader, registry, tool_name)
      const { decision } = decidePolicy(reader, registry, { tool_name, action_class }, now)
      return { registry, health: readServerHealth(reader, registry), mode: decision.mode }
    })
  const binding = project_id === undefined ? undefined : findBinding(reader, project_id)
  return chooseServer(candidates, { tool_name, binding, now })
}

/** The server to call if only its provider is named. Throws if there is none. */
export function findServerForTool(reader: Reader, wanted: WantedTool, now: string): string {
  const { decision, server_id } = rankServers(reader, wanted, now)
  if (server_id !== undefined) return server_id
  if (decision === 'deny') {
    throw new Failure('MCP_POLICY_DENIED', `The connector policy does not allow ${wanted.tool_name}.`, {
      details: { reason_code: 'policy_disabled' },
    })
  }
  throw new Failure('MCP_SERVER_NOT_FOUND', `No enabled server of ${wanted.provider} has the tool ${wanted.tool_name}.`)
}
