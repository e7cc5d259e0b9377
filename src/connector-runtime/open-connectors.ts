import type { Logger } from 'pino'
import type { BridgeProgram } from '../connectors/connection.ts'
import type { ContextDeps } from '../domain/command/context.ts'
import type { JobHandler } from '../jobs/handler.ts'
import type { ApprovedScopes } from '../knowledge/m365/scope-table.ts'
import type { Store } from '../store/db/db.ts'
import { AccessTokens } from './access-tokens.ts'
import { CallProgress } from './call-progress.ts'
import { ConnectorProbes } from './connector-probes.ts'
import type { StartSpan } from './connector-spans.ts'
import { ConnectorTests } from './connector-tests.ts'
import { ContentStorage } from './content-storage.ts'
import { dispatchJobs } from './dispatch-jobs.ts'
import { GraphCalls } from './graph-calls.ts'
import { readStore } from './oauth-access.ts'
import { ServerConnections } from './server-connections.ts'
import { SignInFlow } from './sign-in-flow.ts'
import { recoverVault, Vault } from './vault.ts'

/** What the settings say about connectors. */
interface ConnectorSettings {
  readonly allowed_hosts: readonly string[]
  readonly client_metadata_url?: string | undefined
  readonly bridges: Readonly<Record<string, BridgeProgram>>
  readonly m365: {
    readonly graph_url: string
    readonly login_url: string
    readonly approved_scopes: ApprovedScopes
  }
}

interface ConnectorDeps extends ContextDeps {
  readonly store: Store
  readonly log: Logger
  readonly version: string
  readonly startSpan: StartSpan
}

/** The parts that use connector servers. */
export interface Connectors {
  readonly vault: Vault
  readonly signIns: SignInFlow
  readonly tokens: AccessTokens
  readonly tests: ConnectorTests
  /** Files and texts that calls returned. */
  readonly contents: ContentStorage
  /** Makes the calls of tools. */
  readonly dispatches: JobHandler
  readonly connections: ServerConnections
  readonly progress: CallProgress
  readonly probes: ConnectorProbes
  /** Goes on with what a stop of the daemon interrupted. */
  recover(): Promise<void>
  close(): Promise<void>
}

export function openConnectors(home: string, settings: ConnectorSettings, deps: ConnectorDeps): Connectors {
  const { store, clock, newId, log, version, startSpan } = deps
  const { allowed_hosts, client_metadata_url, m365 } = settings
  const vault = new Vault(home)
  const closing = new AbortController()
  const places = { m365_login_url: m365.login_url, m365_graph_url: m365.graph_url }
  const oauth = { store, clock, newId, vault, allowed_hosts, client_metadata_url, closing: closing.signal, ...places }
  const tokens = new AccessTokens(oauth)
  const signIns = new SignInFlow(oauth)
  const rules = { ...settings, version }
  const contents = new ContentStorage(home, { store, clock, newId })
  const graph = new GraphCalls({ ...oauth, tokens, contents, version, approved_scopes: m365.approved_scopes })
  const connections = new ServerConnections(rules)
  const progress = new CallProgress()
  const probes = new ConnectorProbes({ ...oauth, log, tokens, connections, graph })
  let recovering: Promise<unknown> = Promise.resolve()
  return {
    vault,
    signIns,
    tokens,
    tests: new ConnectorTests({
      startSpan,
      read: (work) => readStore(store, work),
      now: () => clock().toISOString(),
      rules,
      tokens,
      graph,
    }),
    dispatches: dispatchJobs({ ...oauth, tokens, connections, progress, graph, startSpan }),
    connections,
    progress,
    probes,
    contents,
    recover: async () => {
      await recoverVault({ store, clock, newId }, vault)
      // The authorization server may be slow, and the start does not wait for it.
      const resumed = signIns
        .recover()
        .catch((error: unknown) => log.error({ err: error }, 'sign-ins were not resumed'))
      const swept = contents.sweep().catch((error: unknown) => log.error({ err: error }, 'contents were not removed'))
      recovering = Promise.all([resumed, swept])
    },
    close: async () => {
      closing.abort()
      await probes.stop()
      await Promise.all([recovering, connections.close()])
    },
  }
}
