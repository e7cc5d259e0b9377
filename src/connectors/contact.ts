import type { ContactFinding } from '../knowledge/connectors/contact-finding.ts'
import type { ToolFacts } from '../knowledge/connectors/tool-facts.ts'
import { describeFault } from './connection-errors.ts'
import { type Connection, type ConnectionRules, type ConnectionTarget, openConnection } from './connection.ts'
import { listServerTools } from './listed-tools.ts'

export interface ContactPlan {
  readonly list_tools: boolean
  /** A tool that is called if `mayCall` allows what the server says about it. */
  readonly call?: { readonly tool_name: string; readonly arguments: Readonly<Record<string, unknown>> } | undefined
  readonly mayCall: (tool: ToolFacts | undefined) => boolean
  readonly max_duration_ms: number
  /** The W3C headers of the span of this contact. Requests carry them as `_meta`, over every transport. */
  readonly trace?: { readonly traceparent: string; readonly tracestate?: string | undefined } | undefined
}

/** Connects to a server, lists its tools, and calls one if the plan says so. Never throws. */
export async function contactServer(
  server: ConnectionTarget,
  plan: ContactPlan,
  rules: ConnectionRules,
): Promise<ContactFinding> {
  const signal = AbortSignal.timeout(plan.max_duration_ms)
  let connection: Connection
  try {
    connection = await openConnection(server, rules, signal)
  } catch (error) {
    return { connected: false, call: 'none', fault: describeFault(error, signal) }
  }
  try {
    return await useConnection(connection, plan, signal)
  } finally {
    await connection.close().catch(() => {})
  }
}

async function useConnection({ client }: Connection, plan: ContactPlan, signal: AbortSignal): Promise<ContactFinding> {
  const reached = { connected: true, protocol_revision: client.getNegotiatedProtocolVersion() }
  const { call } = plan
  const traced = plan.trace === undefined ? {} : { _meta: { ...plan.trace } }
  let tools: readonly ToolFacts[] | undefined
  try {
    if (plan.list_tools || call !== undefined) {
      tools = await listServerTools(client, traced, signal)
    }
  } catch (error) {
    return { ...reached, call: 'none', fault: describeFault(error, signal) }
  }
  if (call === undefined) return { ...reached, tools, call: 'none' }
  if (!plan.mayCall(tools?.find(({ name }) => name === call.tool_name))) return { ...reached, tools, call: 'refused' }
  try {
    const request = { name: call.tool_name, arguments: { ...call.arguments }, ...traced }
    const { isError } = await client.callTool(request, { signal })
    if (isError !== true) return { ...reached, tools, call: 'done' }
    const fault = { reason_code: 'tool_error', message: `${call.tool_name} answered with an error.` }
    return { ...reached, tools, call: 'failed', fault }
  } catch (error) {
    return { ...reached, tools, call: 'failed', fault: describeFault(error, signal) }
  }
}
