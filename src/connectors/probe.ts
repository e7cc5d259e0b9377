import type { ContactFinding } from '../knowledge/connectors/contact-finding.ts'
import type { ToolFacts } from '../knowledge/connectors/tool-facts.ts'
import { describeFault } from './connection-errors.ts'
import type { ConnectionPool, PoolTarget } from './connection-pool.ts'
import { type Connection, runInScope } from './connection.ts'
import { listServerTools } from './listed-tools.ts'

/**
 * Asks a server whether it answers. An open connection is asked for a sign of life; a new one is asked for the tools, so
 * that changed tools are noticed, and closed again. Never throws.
 */
export async function probeServer(
  pool: ConnectionPool,
  target: PoolTarget,
  signal: AbortSignal,
): Promise<ContactFinding> {
  let refused: Headers | undefined
  let protocol_revision: string | undefined
  const observe = (reply: Response): void => {
    if (reply.status >= 400) refused = reply.headers
  }
  try {
    const ask = async ({ client }: Connection, isNew: boolean): Promise<readonly ToolFacts[] | undefined> => {
      protocol_revision = client.getNegotiatedProtocolVersion()
      if (isNew && client.getServerCapabilities()?.tools !== undefined) {
        return await listServerTools(client, {}, signal)
      }
      await client.ping({ signal })
      return undefined
    }
    const tools = await runInScope({ observe }, () => pool.use(target, signal, ask, { keep: false }))
    return { connected: true, protocol_revision, tools, call: 'none' }
  } catch (error) {
    const connected = protocol_revision !== undefined
    return { connected, protocol_revision, call: 'none', fault: describeFault(error, signal, refused) }
  }
}
