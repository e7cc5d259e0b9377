import type { ConnectorTool } from '@apprentice/contracts/connectors/dispatch.ts'
import type { ConnectorServer } from '@apprentice/contracts/connectors/server.ts'
import { listServers } from '../../store/connectors/servers.ts'
import { listTools, type ToolRow } from '../../store/connectors/tools.ts'
import type { Reader } from '../../store/db/db.ts'
import { describeTools } from '../../knowledge/m365/tool-descriptions.ts'
import { readFamilies } from '../../knowledge/m365/scope-table.ts'
import { decidePolicy, findActionClass } from './dispatches.ts'

/** The tools that an agent may call, or ask to call. Those that the policy switches off are not listed. */
export function listCallableTools(reader: Reader, now: string): ConnectorTool[] {
  return listServers(reader)
    .filter(({ enabled, active_build_surface }) => enabled && active_build_surface)
    .flatMap((server) =>
      listServerTools(reader, server)
        .filter(({ tool_name }) => server.supported_tools.includes(tool_name))
        .map(({ tool_name, title, description, input_schema, annotations }) => {
          const action_class = findActionClass(reader, server, tool_name)
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

/** The tools of a server as its last test found them. Those of Microsoft 365 are defined by the program. */
function listServerTools(reader: Reader, { server_id, provider, supported_tools }: ConnectorServer): ToolRow[] {
  if (provider !== 'm365') return listTools(reader, server_id)
  return describeTools(readFamilies(supported_tools)).map(
    ({ name, input_schema, annotations, title, description }) => ({
      server_id,
      tool_name: name,
      title,
      description,
      input_schema: input_schema as Record<string, unknown>,
      annotations: { ...annotations },
    }),
  )
}
