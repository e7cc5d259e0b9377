import type { Logger } from 'pino'
import PQueue from 'p-queue'
import type { ConnectorServer } from '@apprentice/contracts/connectors/server.ts'
import { DAEMON_ACTOR, writePatientlyAs } from '../domain/command/context.ts'
import { hasServersToProbe, planProbes, recordProbe } from '../domain/connectors/probes.ts'
import type { AccessTokens } from './access-tokens.ts'
import { type GraphCalls, usesGraph } from './graph-calls.ts'
import type { OAuthDeps } from './oauth-access.ts'
import type { ServerConnections } from './server-connections.ts'

interface ProbeDeps extends OAuthDeps {
  readonly log: Logger
  readonly tokens: Pick<AccessTokens, 'find'>
  readonly connections: Pick<ServerConnections, 'probe'>
  readonly graph: Pick<GraphCalls, 'probe'>
}

const TICK_MS = 5000
const PROBE_MS = 10_000
const AT_ONCE = 4

/** Asks every usable server once a minute whether it answers. When each is due is a row, so that a restart asks nothing anew. */
export class ConnectorProbes {
  readonly #deps: ProbeDeps
  readonly #queue = new PQueue({ concurrency: AT_ONCE })
  #timer: NodeJS.Timeout | undefined
  #last: Promise<number> = Promise.resolve(0)

  constructor(deps: ProbeDeps) {
    this.#deps = deps
  }

  start(): void {
    this.#timer = setInterval(() => {
      // It never rejects: a failure is logged.
      void this.probeNow()
    }, TICK_MS).unref()
  }

  /** Asks the servers that are due. Resolves with their number. Calls run one after the other. */
  probeNow(): Promise<number> {
    const next = this.#last.then(() => this.#probe())
    this.#last = next
    return next
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.#last
  }

  async #probe(): Promise<number> {
    const { store, clock, closing, log } = this.#deps
    try {
      const now = clock().toISOString()
      if (closing.aborted || !store.read((reader) => hasServersToProbe(reader, now))) return 0
      const servers = await this.#write((ctx) => planProbes(ctx, Math.random))
      await Promise.all(servers.map((server) => this.#queue.add(() => this.#ask(server))))
      return servers.length
    } catch (error) {
      log.error({ err: error }, 'connector servers were not probed')
      return 0
    }
  }

  async #ask(server: ConnectorServer): Promise<void> {
    const { tokens, connections, graph, closing } = this.#deps
    const { server_id } = server
    const signal = AbortSignal.any([AbortSignal.timeout(PROBE_MS), closing])
    const finding = usesGraph(server)
      ? await graph.probe(server, signal)
      : await connections.probe({ ...server, bearer: tokens.find(server_id) }, signal)
    // A probe that the stop of the daemon ended says nothing.
    if (closing.aborted) return
    await this.#write((ctx) => {
      recordProbe(ctx, server_id, finding, Math.random())
      return null
    })
  }

  #write<T>(work: Parameters<typeof writePatientlyAs<T>>[2]): Promise<T> {
    return writePatientlyAs(this.#deps, { actor: DAEMON_ACTOR, correlation_id: this.#deps.newId() }, work)
  }
}
