import type { OAuthFault } from '../connectors/oauth/oauth-fault.ts'
import type { OAuthNetwork } from '../connectors/oauth/oauth-network.ts'
import type { ContextDeps } from '../domain/command/context.ts'
import { readSecretText } from '../domain/connectors/registry/vault.ts'
import { Failure } from '../failure/failure.ts'
import { findServer } from '../store/connectors/servers.ts'
import type { Reader, Store } from '../store/db/db.ts'
import type { Vault } from './vault.ts'

export interface OAuthDeps extends ContextDeps {
  readonly store: Store
  readonly vault: Vault
  readonly allowed_hosts: readonly string[]
  readonly client_metadata_url?: string | undefined
  /** Where people and services sign in to Microsoft 365. */
  readonly m365_login_url: string
  /** The address of Microsoft Graph. */
  readonly m365_graph_url: string
  /** Ends requests to authorization servers when the daemon stops. */
  readonly closing: AbortSignal
}

/** The OAuth client is loaded when it is first used, because the start does not need it. */
export const loadOAuth = () => import('../connectors/oauth/oauth.ts')

/** Runs requests to the authorization server of a connector server. */
export async function withOAuthNetwork<T>(
  { store, allowed_hosts, closing, m365_login_url }: OAuthDeps,
  serverId: string,
  work: (network: OAuthNetwork) => Promise<T>,
): Promise<T> {
  const server = readStore(store, (reader) => findServer(reader, serverId))
  const endpoint = server?.provider === 'm365' ? m365_login_url : server?.endpoint_url
  const { openOAuthNetwork } = await loadOAuth()
  const network = openOAuthNetwork(endpoint, allowed_hosts, closing)
  try {
    return await work(network)
  } finally {
    await network.close()
  }
}

export const readVault = ({ store, vault }: OAuthDeps, ref: string | undefined): string | undefined =>
  ref === undefined ? undefined : readStore(store, (reader) => readSecretText(reader, vault, ref))

/** Reads from the store what may be undefined. */
export const readStore = <T>(store: Store, work: (reader: Reader) => T): T =>
  store.read(work as (reader: Reader) => never)

export const toExchangeFailure = ({ reason_code, message }: OAuthFault): Failure =>
  new Failure('MCP_OAUTH_TOKEN_EXCHANGE_FAILED', message, { details: { reason_code } })
