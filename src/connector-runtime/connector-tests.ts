import type { z } from 'zod'
import type { smokeTestConnector, SmokeTestResult } from '@apprentice/contracts/connectors/servers.ts'
import type { ConnectorServer } from '@apprentice/contracts/connectors/server.ts'
import type { ConnectionRules } from '../connectors/connection.ts'
import type { ContactPlan } from '../connectors/contact.ts'
import type { CommandContext } from '../domain/command/context.ts'
import { assertSignedIn, prepareSmokeTest, recordSmokeTest } from '../domain/connectors/smoke-tests.ts'
import type { ContactFinding } from '../knowledge/connectors/contact-finding.ts'
import type { Reader } from '../store/db/db.ts'
import type { AccessTokens } from './access-tokens.ts'
import { startCallSpan, type StartSpan } from './connector-spans.ts'
import { type GraphCalls, usesGraph } from './graph-calls.ts'

type SmokeTestBody = z.infer<typeof smokeTestConnector.body>

export interface ConnectorTestDeps {
  readonly startSpan: StartSpan
  readonly read: <T>(work: (reader: Reader) => T) => T
  readonly now: () => string
  readonly rules: ConnectionRules
  readonly tokens: Pick<AccessTokens, 'find' | 'renewIfDue'>
  readonly graph: GraphCalls
}

/** Tests servers on request. A server that is being tested cannot be deleted. */
export class ConnectorTests {
  readonly #deps: ConnectorTestDeps
  readonly #running = new Map<string, number>()

  constructor(deps: ConnectorTestDeps) {
    this.#deps = deps
  }

  isBusy(serverId: string): boolean {
    return this.#running.has(serverId)
  }

  async run(body: SmokeTestBody, write: <T>(work: (ctx: CommandContext) => T) => Promise<T>): Promise<SmokeTestResult> {
    const { server_id, tool_name, max_duration_ms } = body
    const { read, now, tokens } = this.#deps
    const started_at = now()
    const server = read((reader) => prepareSmokeTest(reader, server_id, started_at))
    this.#count(server_id, 1)
    const span = startCallSpan(this.#deps.startSpan, body)
    try {
      await tokens.renewIfDue(server_id, write)
      read((reader) => assertSignedIn(reader, server, now()))
      const call = tool_name === undefined ? undefined : { tool_name, arguments: body.payload_preview ?? {} }
      const finding = usesGraph(server)
        ? await this.#deps.graph.test(server, call, max_duration_ms)
        : await this.#contact(server, {
            list_tools: body.include_tool_discovery,
            call,
            mayCall: (tool) => tool?.reads_only === true && server.supported_tools.includes(tool.name),
            max_duration_ms,
            trace: span?.context,
          })
      if (finding.fault !== undefined) span?.fail(finding.fault.reason_code)
      const test = { server_id, tool_name, started_at, jitter: Math.random() }
      return await write((ctx) => recordSmokeTest(ctx, test, finding))
    } finally {
      span?.end()
      this.#count(server_id, -1)
    }
  }

  /** The client of the protocol is loaded when the first server is contacted, because the start does not need it. */
  async #contact(server: ConnectorServer, plan: ContactPlan): Promise<ContactFinding> {
    const { rules, tokens } = this.#deps
    const { contactServer } = await import('../connectors/contact.ts')
    return contactServer(server, plan, { ...rules, bearer: tokens.find(server.server_id) })
  }

  #count(serverId: string, change: number): void {
    const count = (this.#running.get(serverId) ?? 0) + change
    if (count === 0) this.#running.delete(serverId)
    else this.#running.set(serverId, count)
  }
}
