import type { ConnectionPool, PoolTarget } from '../connectors/connection-pool.ts'
import type { ConnectionRules } from '../connectors/connection.ts'
import type { ToolCall, ToolCallFinding } from '../connectors/tool-call.ts'
import type { ContactFinding } from '../knowledge/connectors/contact-finding.ts'

/** The kept connections to servers. The client of the protocol is loaded when the first one is opened. */
export class ServerConnections {
  readonly #rules: ConnectionRules
  #pool: Promise<ConnectionPool> | undefined

  constructor(rules: ConnectionRules) {
    this.#rules = rules
  }

  async call(target: PoolTarget, call: ToolCall, signal: AbortSignal): Promise<ToolCallFinding> {
    const { callTool } = await import('../connectors/tool-call.ts')
    return callTool(await this.#open(), target, call, signal)
  }

  async probe(target: PoolTarget, signal: AbortSignal): Promise<ContactFinding> {
    const { probeServer } = await import('../connectors/probe.ts')
    return probeServer(await this.#open(), target, signal)
  }

  /** Closes the connection of a server that was changed, when its calls have ended. */
  drop(serverId: string): void {
    void this.#pool?.then((pool) => pool.drop(serverId))
  }

  async close(): Promise<void> {
    await (await this.#pool)?.close()
  }

  #open(): Promise<ConnectionPool> {
    this.#pool ??= import('../connectors/connection-pool.ts').then(({ ConnectionPool: Pool }) => new Pool(this.#rules))
    return this.#pool
  }
}
