import type { ConnectorTool } from '@apprentice/contracts/connectors/dispatch.ts'
import { listServers } from '../../store/connectors/servers.ts'
import { listTools } from '../../store/connectors/tools.ts'
import type { Reader } from '../../store/db/db.ts'
import { decidePolicy, findActionClass } from './dispatches.ts'

/** The tools that an agent may call, or ask to call. Those that the policy switches off are not listed. */
export function listCallableTools(reader: Reader, now: string): ConnectorTool[] {
  return listServers(reader)
    .filter(({ enabled, active_build_surface }) => enabled && active_build_surface)
    .flatMap((server) =>
      listTools(reader, server.server_id)
        .filter(({ tool_name }) => server.supported_tools.includes(tool_name))
        .map(({ tool_name, title, description, input_schema, annotations }) => {
          const action_class = findActionClass(reader, server.server_id, tool_name)
          const { decision } = decidePolicy(reader, server, { tool_name, action_class }, now)
          return {
            qualified_name: `${server.server_id}.${tool_name}`.slice(0, 240),
            server_id: server.server_id,
            provider: server.provider,
            tool_name,
            title,
            description,
            input_schema,
            annotations,
            action_class,
            policy_mode: decision.mode,
          }
        }),
    )
    .filter(({ policy_mode }) => policy_mode !== 'disabled')
}
