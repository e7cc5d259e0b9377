import { isSpecType } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { ApiFailure, type Call } from '@apprentice/contracts/client.ts'
import { approveAskFirst, denyAskFirst } from '@apprentice/contracts/connectors/ask-first.ts'
import {
  callConnectorTool,
  cancelConnectorCall,
  type ConnectorCall,
  type ConnectorTool,
  getConnectorCall,
  listConnectorTools,
} from '@apprentice/contracts/connectors/dispatch.ts'
import type { AbilityTool } from './ability-tools.ts'
import type { ToolContext, ToolReply } from './tool/tool.ts'

/** More tools than this would fill the context of an agent. */
export const MAX_CONNECTOR_TOOLS = 64
export const CONNECTOR_PREFIX = 'connector_'

const CallResult = z.looseObject({
  dispatch_id: z.string(),
  status: z.string(),
  content: z.array(z.looseObject({})).describe('Without pictures and sounds'),
  is_error: z.boolean(),
})
/** A request that follows a call is repeated after this time. */
const FOLLOW_MS = 30_000

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
      return formatCall(await callOrAsk(request, context))
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
async function callOrAsk(request: CallRequest, context: ToolContext): Promise<ConnectorCall> {
  const { call, ask, session_ref } = context
  const body = { ...request, session_ref, client_request_id: crypto.randomUUID(), wait_ms: 0 }
  try {
    return await follow(await call(callConnectorTool, { body }), context)
  } catch (error) {
    const dispatchId = error instanceof ApiFailure ? readPausedCall(error) : undefined
    if (dispatchId === undefined) throw error
    return cancelWith(context, dispatchId, async () => {
      const answer = await ask({ message: `Allow ${request.tool_name} of ${request.server_id}?`, schema: QUESTION })
      if (answer === undefined) throw error
      await decide(call, dispatchId, answer['allow'] === true)
      return follow(await call(getConnectorCall, { params: { dispatchId } }), context)
    })
  }
}

/** Waits for the end of a call and reports its progress. If the client cancels its request, the call is cancelled. */
const follow = (first: ConnectorCall, context: ToolContext): Promise<ConnectorCall> =>
  cancelWith(context, first.dispatch_id, async () => {
    let known = first
    while (known.status === 'queued' || known.status === 'running') {
      const params = { dispatchId: known.dispatch_id }
      const query = { wait_ms: FOLLOW_MS, ...(known.progress && { seen_progress: known.progress.progress }) }
      const next = await context.call(getConnectorCall, { params, query })
      if (next.progress !== undefined && next.progress.progress !== known.progress?.progress) {
        const { progress, ...report } = next.progress
        await context.report({ done: progress, ...report })
      }
      known = next
    }
    return known
  })

/** Cancels a call as soon as the client cancels its request, until `work` has ended. */
async function cancelWith<T>({ call, signal }: ToolContext, dispatchId: string, work: () => Promise<T>): Promise<T> {
  const cancel = (): void => {
    // A call that has ended in the meantime needs no cancellation.
    call(cancelConnectorCall, { params: { dispatchId }, body: {} }).catch(() => undefined)
  }
  if (signal.aborted) cancel()
  signal.addEventListener('abort', cancel)
  try {
    return await work()
  } finally {
    signal.removeEventListener('abort', cancel)
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

/** What the server answered, as it answered it. */
function formatCall({ dispatch_id, status, result, error_code, error_message }: ConnectorCall): ToolReply {
  const content = (result?.content ?? []).filter((block) => isSpecType.ContentBlock(block))
  const is_error = result?.is_error ?? status !== 'succeeded'
  const structured = {
    dispatch_id,
    status,
    content: content.filter(({ type }) => type !== 'image' && type !== 'audio'),
    ...(result?.structured_content === undefined ? {} : { structured_content: result.structured_content }),
    is_error,
    ...(error_code === undefined ? {} : { error_code, error_message }),
  }
  return { structured, is_error, ...(content.length === 0 ? {} : { content }) }
}

/** The last digits of the server and the name of the tool, in letters, digits and underscores. */
function chooseName({ server_id, tool_name }: ConnectorTool, names: Set<string>): string {
  const base = `${CONNECTOR_PREFIX}${server_id.slice(-6)}_${tool_name}`.replaceAll(/[^A-Za-z0-9]+/g, '_').slice(0, 56)
  let name = base
  for (let count = 2; names.has(name); count += 1) name = `${base}_${count}`
  names.add(name)
  return name
}
