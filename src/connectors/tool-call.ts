import type { CallToolResult } from '@modelcontextprotocol/client'
import { readMissingScopes } from '../knowledge/connectors/www-authenticate.ts'
import { describeFault } from './connection-errors.ts'
import type { ConnectionPool, PoolTarget } from './connection-pool.ts'
import { type Connection, runInScope } from './connection.ts'
import type { ContactPlan } from './contact.ts'

export interface ToolCall {
  readonly tool_name: string
  readonly arguments: Readonly<Record<string, unknown>>
  readonly max_duration_ms: number
  /** Whether questions of the server during the call are answered with its own defaults. */
  readonly uses_defaults?: boolean | undefined
  /** The span of the call. The server gets it. */
  readonly trace?: ContactPlan['trace']
  /** Hears how far the server says that it is. */
  readonly onProgress?: ((progress: ToolProgress) => void) | undefined
}

export interface ToolProgress {
  readonly progress: number
  readonly total?: number | undefined
  readonly message?: string | undefined
}

/** What a tool answered, or why it did not. */
export type ToolCallFinding =
  | {
      readonly kind: 'result'
      readonly result: Pick<CallToolResult, 'content' | 'structuredContent' | 'isError'>
      /** The id of the receipt, if the result names it. */
      readonly receipt_id?: string | undefined
    }
  | {
      readonly kind: 'fault'
      readonly reason_code: string
      readonly message: string
      readonly http_status?: number | undefined
      readonly retry_after_ms?: number | undefined
      /** The scopes that the server asks for besides those of the token. */
      readonly missing_scopes?: readonly string[] | undefined
      /** Whether the server works and refused only this request. */
      readonly is_answer?: boolean | undefined
      /** Whether the daemon refused to make the call. */
      readonly is_refusal?: boolean | undefined
    }

/** Calls one tool over the kept connection of its server. Never throws. */
export async function callTool(
  pool: ConnectionPool,
  target: PoolTarget,
  call: ToolCall,
  signal: AbortSignal,
): Promise<ToolCallFinding> {
  let refused: Headers | undefined
  const observe = (reply: Response): void => {
    if (reply.status >= 400) refused = reply.headers
  }
  try {
    const scope = { observe, uses_defaults: call.uses_defaults }
    const result = await runInScope(scope, () =>
      pool.use(target, signal, (connection) => connection.runCall(scope, () => request(connection, call, signal))),
    )
    return { kind: 'result', result }
  } catch (error) {
    const missing_scopes = readMissingScopes(refused?.get('www-authenticate') ?? '')
    return { kind: 'fault', ...describeFault(error, signal, refused), missing_scopes }
  }
}

function request(
  { client }: Connection,
  { tool_name, trace, max_duration_ms, onProgress, ...call }: ToolCall,
  signal: AbortSignal,
) {
  const traced = trace === undefined ? {} : { _meta: { ...trace } }
  const options = { signal, timeout: max_duration_ms, ...(onProgress === undefined ? {} : { onprogress: onProgress }) }
  return client.callTool({ name: tool_name, arguments: { ...call.arguments }, ...traced }, options)
}
