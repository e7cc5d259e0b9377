import { z } from 'zod'
import { ApiFailure, type Call } from '@apprentice/contracts/client.ts'
import { approveAskFirst, denyAskFirst } from '@apprentice/contracts/connectors/ask-first.ts'
import {
  callConnectorTool,
  type ConnectorCall,
  type ConnectorTool,
  listConnectorTools,
} from '@apprentice/contracts/connectors/dispatch.ts'
import type { AbilityTool } from './ability-tools.ts'
import type { ToolContext } from './tool/tool.ts'

/** More tools than this would fill the context of an agent. */
export const MAX_CONNECTOR_TOOLS = 64
const PREFIX = 'connector_'

const CallResult = z.looseObject({
  dispatch_id: z.string(),
  status: z.string(),
  content: z.array(z.looseObject({})),
  is_error: z.boolean(),
})

/** One tool for each tool of a connected server, the first by name if there are too many. */
export async function listConnectedTools(call: Call): Promise<readonly AbilityTool[]> {
  const { tools } = await call(listConnectorTools)
  const names = new Set<string>()
  return tools.slice(0, MAX_CONNECTOR_TOOLS).map((tool) => toTool(tool, chooseName(tool, names)))
}

function toTool(tool: ConnectorTool, name: string): AbilityTool {
  const { server_id, tool_name, title, description, policy_mode, input_schema } = tool
  const asks = policy_mode === 'ask_first' ? ' A person decides about each call.' : ''
  return {
    name,
    title: title ?? tool_name,
    description: `${description ?? tool_name} (${tool_name} of ${server_id}.)${asks}`,
    input_schema,
    output: CallResult,
    annotations: readAnnotations(tool.annotations),
    run: async (args, context) => {
      const request = { server_id, tool_name, arguments: z.looseObject({}).parse(args) }
      return { structured: describeCall(await callOrAsk(request, context)) }
    },
  }
}

/** What the server does not declare has the default of the protocol. */
const readAnnotations = (given: Readonly<Record<string, unknown>>): AbilityTool['annotations'] => ({
  readOnlyHint: given['readOnlyHint'] === true,
  destructiveHint: given['destructiveHint'] !== false,
  idempotentHint: given['idempotentHint'] === true,
  openWorldHint: given['openWorldHint'] !== false,
})

interface CallRequest {
  readonly server_id: string
  readonly tool_name: string
  readonly arguments: Record<string, unknown>
}

/**
 * Calls the tool. If a person has to decide, the person behind the client is asked, where the client can ask and its
 * token may decide. Otherwise the failure names the call, which is made when somebody approves it.
 */
async function callOrAsk(request: CallRequest, { call, ask }: ToolContext): Promise<ConnectorCall> {
  const body = { ...request, client_request_id: crypto.randomUUID() }
  try {
    return await call(callConnectorTool, { body })
  } catch (error) {
    const dispatchId = error instanceof ApiFailure ? readPausedCall(error) : undefined
    if (dispatchId === undefined) throw error
    const answer = await ask({ message: `Allow ${request.tool_name} of ${request.server_id}?`, schema: QUESTION })
    if (answer === undefined) throw error
    await decide(call, dispatchId, answer['allow'] === true)
    // The same request again waits for the call that was approved.
    return await call(callConnectorTool, { body })
  }
}

const QUESTION = {
  type: 'object' as const,
  properties: { allow: { type: 'boolean', title: 'Allow this call once' } },
  required: ['allow'],
}

function readPausedCall({ code, details }: ApiFailure): string | undefined {
  const id = code === 'MCP_ASK_FIRST_REQUIRED' ? details?.['dispatch_id'] : undefined
  return typeof id === 'string' ? id : undefined
}

async function decide(call: Call, dispatchId: string, isAllowed: boolean): Promise<void> {
  const params = { dispatchId }
  if (isAllowed) await call(approveAskFirst, { params, body: { decision: 'approve_once' } })
  else await call(denyAskFirst, { params, body: { decision: 'deny' } })
}

const describeCall = ({ dispatch_id, status, result, error_code, error_message }: ConnectorCall) => ({
  dispatch_id,
  status,
  content: result?.content ?? [],
  ...(result?.structured_content === undefined ? {} : { structured_content: result.structured_content }),
  is_error: result?.is_error ?? status !== 'succeeded',
  ...(error_code === undefined ? {} : { error_code, error_message }),
})

/** The last digits of the server and the name of the tool, in letters, digits and underscores. */
function chooseName({ server_id, tool_name }: ConnectorTool, names: Set<string>): string {
  const base = `${PREFIX}${server_id.slice(-6)}_${tool_name}`.replaceAll(/[^A-Za-z0-9]+/g, '_').slice(0, 56)
  let name = base
  for (let count = 2; names.has(name); count += 1) name = `${base}_${count}`
  names.add(name)
  return name
}
