import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import type { ConnectorServer } from '@apprentice/contracts/connectors/server.ts'
import { createGuardedFetch } from './guarded-fetch.ts'

/** A program that an administrator configured as a local bridge. */
export interface BridgeProgram {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

/** What the configuration says about connections. */
export interface ConnectionRules {
  readonly allowed_hosts: readonly string[]
  readonly bridges: Readonly<Record<string, BridgeProgram>>
  readonly version: string
  /** A secret that requests to the server carry. */
  readonly bearer?: string | undefined
  /** Sees every reply of the server before it is read. */
  readonly observe?: ((reply: Response) => void) | undefined
}

export interface Connection {
  readonly client: Client
  close(): Promise<void>
}

/** Connects to a server and does the handshake. `signal` ends the attempt. */
export async function openConnection(
  server: Pick<ConnectorServer, 'endpoint_url' | 'display_name'>,
  rules: ConnectionRules,
  signal: AbortSignal,
): Promise<Connection> {
  const client = new Client({ name: 'apprentice', version: rules.version })
  const { transport, release } =
    server.endpoint_url === undefined ? openBridge(server.display_name, rules) : openHttp(server.endpoint_url, rules)
  const close = async (): Promise<void> => {
    await client.close()
    await release()
  }
  try {
    await client.connect(transport, { signal })
    return { client, close }
  } catch (error) {
    await close()
    throw error
  }
}

function openHttp(url: string, { allowed_hosts, bearer, observe }: ConnectionRules) {
  const guarded = createGuardedFetch(allowed_hosts)
  const requestInit = bearer === undefined ? {} : { headers: { authorization: `Bearer ${bearer}` } }
  const send: typeof fetch = async (input, init) => {
    const reply = await guarded.fetch(input, init)
    observe?.(reply)
    return reply
  }
  const transport = new StreamableHTTPClientTransport(new URL(url), { fetch: send, requestInit })
  return { transport, release: () => guarded.close() }
}

/** The program gets its configured environment and nothing of the daemon's. */
function openBridge(name: string, { bridges }: ConnectionRules) {
  const program = bridges[name]
  if (program === undefined) throw new Error(`The settings name no local bridge ${name}.`)
  const { command, args, env } = program
  const transport = new StdioClientTransport({ command, args: [...args], env: { ...env }, stderr: 'ignore' })
  return { transport, release: async () => {} }
}
