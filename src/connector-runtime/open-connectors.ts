import type { Logger } from 'pino'
import type { BridgeProgram } from '../connectors/connection.ts'
import type { ContextDeps } from '../domain/command/context.ts'
import type { JobHandler } from '../jobs/handler.ts'
import type { Store } from '../store/db/db.ts'
import { AccessTokens } from './access-tokens.ts'
import type { StartSpan } from './connector-spans.ts'
import { ConnectorTests } from './connector-tests.ts'
import { dispatchJobs } from './dispatch-jobs.ts'
import { readStore } from './oauth-access.ts'
import { SignInFlow } from './sign-in-flow.ts'
import { recoverVault, Vault } from './vault.ts'

/** What the settings say about connectors. */
interface ConnectorSettings {
  readonly allowed_hosts: readonly string[]
  readonly client_metadata_url?: string | undefined
  readonly bridges: Readonly<Record<string, BridgeProgram>>
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
  /** Makes the calls of tools. */
  readonly dispatches: JobHandler
  /** Goes on with what a stop of the daemon interrupted. */
  recover(): Promise<void>
  close(): Promise<void>
}

export function openConnectors(home: string, settings: ConnectorSettings, deps: ConnectorDeps): Connectors {
  const { store, clock, newId, log, version, startSpan } = deps
  const { allowed_hosts, client_metadata_url } = settings
  const vault = new Vault(home)
  const closing = new AbortController()
  const oauth = { store, clock, newId, vault, allowed_hosts, client_metadata_url, closing: closing.signal }
  const tokens = new AccessTokens(oauth)
  const signIns = new SignInFlow(oauth)
  const rules = { ...settings, version }
  let recovering: Promise<void> = Promise.resolve()
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
    }),
    dispatches: dispatchJobs({ ...oauth, tokens, rules, startSpan }),
    recover: async () => {
      await recoverVault({ store, clock, newId }, vault)
      // The authorization server may be slow, and the start does not wait for it.
      recovering = signIns.recover().catch((error: unknown) => log.error({ err: error }, 'sign-ins were not resumed'))
    },
    close: () => {
      closing.abort()
      return recovering
    },
  }
}
