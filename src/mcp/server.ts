import {
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { z } from 'zod'
import { ApiFailure, type Call } from '@apprentice/contracts/client.ts'
import { ABILITY_PREFIX, type AbilityTool, listAbilityTools } from './ability-tools.ts'
import { CONNECTOR_PREFIX, listConnectedTools } from './connector-tools.ts'
import type { ApiAccess } from './tool/api-call.ts'
import type { Question, Tool, ToolContext, ToolReply } from './tool/tool.ts'
import { abilityTools } from './tools/abilities.ts'
import { contentTools } from './tools/contents.ts'
import { deviceTools } from './tools/devices.ts'
import { ScreenRefs } from './tool/screen-lines.ts'
import { type Guide, handleGuides } from './guides.ts'
import { listResources, readResource, SKILL_TEMPLATE } from './resources.ts'
import { skillTools } from './tools/skills.ts'
import { teachTools } from './tools/teach.ts'

const TOOLS: readonly Tool[] = [...abilityTools, ...deviceTools, ...teachTools, ...skillTools, ...contentTools]
const MAX_SUBSCRIPTIONS = 1000
/** How long a person may take to answer: as long as an approval waits. */
const MAX_THOUGHT_MS = 15 * 60_000
const INSTRUCTIONS =
  'Apprentice runs abilities that people taught on Android phones. Look for an ability with find_abilities first and run it; the outcome is read from the phone. Work by hand with see_screen and do_actions only if there is none.'

/** The W3C headers that a client may send in `_meta` of a request. */
type TraceHeaders = Readonly<Record<string, string>>

export interface McpServerDeps {
  readonly version: string
  /** Access to the API with the token of one MCP request, as a part of the trace of its client. */
  readonly openApi: (authorization: string, trace: TraceHeaders) => ApiAccess
  readonly readGuides: () => Promise<readonly Guide[]>
  /** Whether each usable ability is a tool of its own. */
  readonly offersAbilities: () => boolean
  /** The addresses of the resources whose changes the client wants to know. */
  readonly subscriptions: Set<string>
}

/** Creates the server of one session. */
export function createMcpServer(deps: McpServerDeps): Server {
  const server = new Server(
    { name: 'apprentice', title: 'Apprentice', version: deps.version },
    {
      capabilities: {
        tools: { listChanged: true },
        resources: { listChanged: true, subscribe: true },
        prompts: {},
        logging: {},
      },
      instructions: INSTRUCTIONS,
    },
  )
  const session = { refs: new ScreenRefs(), session_ref: `mcp-${crypto.randomUUID()}` }
  const listOffered = async (context: ServerContext, name = ''): Promise<readonly AbilityTool[]> => {
    if (!deps.offersAbilities()) return []
    const { call } = openFor(deps, context)
    // A call needs only the tools that may have its name.
    const abilities = name.startsWith(CONNECTOR_PREFIX) ? [] : await listAbilityTools(call, canAsk(server))
    const connected = name.startsWith(ABILITY_PREFIX) ? [] : await listConnectedTools(call)
    return [...abilities, ...connected]
  }

  server.setRequestHandler('tools/list', async (_request, context) => ({
    tools: [...TOOLS.map(describeTool), ...(await listOffered(context)).map(describeAbilityTool)],
  }))
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const tool =
      TOOLS.find(({ name }) => name === params.name) ??
      (await listOffered(context, params.name)).find(({ name }) => name === params.name)
    if (tool === undefined) return formatFailure('NOT_FOUND', `There is no tool ${params.name}.`, false)
    try {
      const reply = await tool.run(params.arguments ?? {}, buildContext(server, deps, { context, session }))
      return formatReply(reply)
    } catch (error) {
      if (error instanceof ApiFailure) {
        const { code, message, retryable, details } = error
        await context.mcpReq.log('warning', { tool: params.name, code, message }, 'apprentice')
        return formatFailure(code, message, retryable, details)
      }
      if (error instanceof z.ZodError) return formatFailure('INVALID_REQUEST', describeProblem(error), false)
      throw error
    }
  })
  handleResources(server, deps)
  handleGuides(server, deps.readGuides)
  return server
}

function handleResources(server: Server, deps: McpServerDeps): void {
  const { subscriptions } = deps
  const getCall = (context: ServerContext) => openFor(deps, context).call
  server.setRequestHandler('resources/list', ({ params }, context) => listResources(getCall(context), params?.cursor))
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [SKILL_TEMPLATE] }))
  server.setRequestHandler('resources/read', async ({ params }, context) => ({
    contents: [await readKnown(getCall(context), params.uri)],
  }))
  server.setRequestHandler('resources/subscribe', async ({ params }, context) => {
    if (subscriptions.size >= MAX_SUBSCRIPTIONS) {
      throw new ProtocolError(ProtocolErrorCode.InvalidRequest, 'Too many subscriptions.')
    }
    await readKnown(getCall(context), params.uri)
    subscriptions.add(params.uri)
    return {}
  })
  server.setRequestHandler('resources/unsubscribe', ({ params }) => {
    subscriptions.delete(params.uri)
    return {}
  })
}

/** The content of a resource. What the caller may not see does not exist. */
async function readKnown(call: Call, uri: string) {
  try {
    const content = await readResource(call, uri)
    if (content !== undefined) return content
  } catch (error) {
    if (!(error instanceof ApiFailure)) throw error
  }
  throw new ResourceNotFoundError(uri)
}

const describeTool = ({ name, title, description, input, output, annotations }: Tool) => ({
  name,
  title,
  description,
  inputSchema: toObjectSchema(input, 'input'),
  outputSchema: toObjectSchema(output, 'output'),
  annotations,
})

const describeAbilityTool = ({ name, title, description, input_schema, output, annotations }: AbilityTool) => ({
  name,
  title,
  description,
  inputSchema: input_schema as { type: 'object' },
  outputSchema: toObjectSchema(output, 'output'),
  annotations,
})

const toObjectSchema = (schema: z.ZodType, io: 'input' | 'output') =>
  z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as { type: 'object' }

function buildContext(
  server: Server,
  deps: McpServerDeps,
  {
    context,
    session,
  }: { readonly context: ServerContext; readonly session: Pick<ToolContext, 'refs' | 'session_ref'> },
): ToolContext {
  const progressToken = context.mcpReq._meta?.progressToken
  return {
    ...openFor(deps, context),
    signal: context.mcpReq.signal,
    ...session,
    report: async ({ done, ...report }) => {
      if (progressToken === undefined) return
      const params = { progressToken, progress: done, ...report }
      await context.mcpReq.notify({ method: 'notifications/progress', params })
    },
    ask: async (question) => {
      return canAsk(server) ? await elicit(context, question) : undefined
    },
  }
}

/** Whether the client shows forms to its person. One without modes, as older revisions have them, does. */
const canAsk = (server: Server): boolean => server.getClientCapabilities()?.elicitation?.form !== undefined

/** The answer of the person. Undefined if they did not accept, or the client failed to ask or answered with other fields. */
async function elicit(context: ServerContext, { message, schema }: Question) {
  const requestedSchema = schema as Parameters<ServerContext['mcpReq']['elicitInput']>[0] extends infer P
    ? P extends { requestedSchema: infer S }
      ? S
      : never
    : never
  const { log, signal, elicitInput } = context.mcpReq
  try {
    const { action, content } = await elicitInput(
      { mode: 'form', message, requestedSchema },
      { signal, timeout: MAX_THOUGHT_MS },
    )
    return action === 'accept' ? content : undefined
  } catch (error) {
    if (signal.aborted) throw error
    await log('warning', { question: message, problem: error instanceof Error ? error.message : '' }, 'apprentice')
    return undefined
  }
}

const openFor = ({ openApi }: McpServerDeps, context: ServerContext): ApiAccess =>
  openApi(readAuthorization(context), readTrace(context.mcpReq._meta ?? {}))

const readTrace = (meta: Readonly<Record<string, unknown>>): TraceHeaders =>
  Object.fromEntries(
    ['traceparent', 'tracestate'].flatMap((name) => {
      const value = meta[name]
      return typeof value === 'string' ? [[name, value]] : []
    }),
  )

const readAuthorization = ({ http }: ServerContext): string => http?.req?.headers.get('authorization') ?? ''

function formatReply({ structured, text, png, content, is_error }: ToolReply) {
  return {
    content: content?.slice() ?? [
      { type: 'text' as const, text: text ?? JSON.stringify(structured) },
      ...(png === undefined ? [] : [{ type: 'image' as const, data: png.toString('base64'), mimeType: 'image/png' }]),
    ],
    structuredContent: { ...structured },
    ...(is_error === true ? { isError: true } : {}),
  }
}

function formatFailure(
  code: string,
  message: string,
  retryable: boolean,
  details: Readonly<Record<string, unknown>> = {},
) {
  return {
    isError: true,
    content: [{ type: 'text' as const, text: `${code}: ${message}` }],
    structuredContent: { error: { code, message, retryable, details } },
  }
}

const describeProblem = ({ issues }: z.ZodError): string =>
  issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ')
