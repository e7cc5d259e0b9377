import type { CallToolResult } from '@modelcontextprotocol/client'
import type { ConnectorServer } from '@apprentice/contracts/connectors/server.ts'
import { readMissingScopes } from '../knowledge/connectors/www-authenticate.ts'
import { type ConnectionRules, openConnection } from './connection.ts'
import { type ContactPlan, describeFault } from './contact.ts'

export interface ToolCall {
  readonly tool_name: string
  readonly arguments: Readonly<Record<string, unknown>>
  /** The span of the call. The server gets it. */
  readonly trace?: ContactPlan['trace']
}

/** What a tool answered, or why it did not. */
export type ToolCallFinding =
  | { readonly kind: 'result'; readonly result: Pick<CallToolResult, 'content' | 'structuredContent' | 'isError'> }
  | {
      readonly kind: 'fault'
      readonly reason_code: string
      readonly message: string
      readonly http_status?: number | undefined
      readonly retry_after_ms?: number | undefined
      /** The scopes that the server asks for besides those of the token. */
      readonly missing_scopes?: readonly string[] | undefined
    }

const LONGEST_PAUSE_MS = 24 * 3_600_000

/** Connects to a server and calls one tool. Never throws. */
export async function callTool(
  server: Pick<ConnectorServer, 'endpoint_url' | 'display_name'>,
  call: ToolCall,
  rules: ConnectionRules,
  signal: AbortSignal,
): Promise<ToolCallFinding> {
  let refused: Headers | undefined
  const observe = (reply: Response): void => {
    if (reply.status >= 400) refused = reply.headers
  }
  try {
    const connection = await openConnection(server, { ...rules, observe }, signal)
    try {
      const traced = call.trace === undefined ? {} : { _meta: { ...call.trace } }
      const request = { name: call.tool_name, arguments: { ...call.arguments }, ...traced }
      const result = await connection.client.callTool(request, { signal })
      return { kind: 'result', result }
    } finally {
      await connection.close().catch(() => undefined)
    }
  } catch (error) {
    const fault = describeFault(error, signal)
    return {
      kind: 'fault',
      ...fault,
      retry_after_ms: readPause(refused?.get('retry-after') ?? undefined),
      missing_scopes: readMissingScopes(refused?.get('www-authenticate') ?? ''),
    }
  }
}

/** The pause that a server asks for, in milliseconds. */
function readPause(header: string | undefined): number | undefined {
  if (header === undefined) return undefined
  const pause = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now()
  return Number.isFinite(pause) && pause >= 0 ? Math.min(pause, LONGEST_PAUSE_MS) : undefined
}
