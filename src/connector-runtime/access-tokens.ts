import type { z } from 'zod'
import type { revokeConnectorSignIn } from '@apprentice/contracts/connectors/sign-in.ts'
import type { ServerAuthStatus } from '@apprentice/contracts/connectors/server.ts'
import type { GrantContext } from '../connectors/oauth/grants.ts'
import type { OAuthNetwork } from '../connectors/oauth/oauth-network.ts'
import type { CommandContext } from '../domain/command/context.ts'
import { formatAssertionRef } from '../domain/connectors/sign-in/assertions.ts'
import { isChainVerified, listRequestedScopes } from '../domain/connectors/registry/m365-registrations.ts'
import { isExpired } from '../domain/connectors/sign-in/sign-in-checks.ts'
import * as refreshes from '../domain/connectors/sign-in/token-refresh.ts'
import { findServerProfile, findTokens, readServerAuth, type StoredGrant } from '../domain/connectors/sign-in/tokens.ts'
import { Failure } from '../failure/failure.ts'
import type { AuthProfileRow } from '../store/connectors/auth-profiles.ts'
import { findServer } from '../store/connectors/servers.ts'
import { loadOAuth, type OAuthDeps, readStore, readVault, toExchangeFailure, withOAuthNetwork } from './oauth-access.ts'

type Revocation = z.infer<typeof revokeConnectorSignIn.reply>
type RevokeRequest = Omit<z.infer<typeof revokeConnectorSignIn.body>, 'client_request_id' | 'schema_version'>
type Write<T> = (work: (ctx: CommandContext) => T) => Promise<T>

/** Keeps the tokens of profiles usable: refreshes, revokes, and gets tokens for services. */
export class AccessTokens {
  readonly #deps: OAuthDeps
  /** Refreshes that are under way, by profile. A refresh token may be good only once. */
  readonly #refreshing = new Map<string, Promise<unknown>>()

  constructor(deps: OAuthDeps) {
    this.#deps = deps
  }

  /** The secret to send to a server. Undefined if it needs none, or none is stored. */
  find(serverId: string): string | undefined {
    const { store, vault } = this.#deps
    const profile = readStore(store, (reader) => findServerProfile(reader, serverId))
    if (profile === undefined || profile.auth_mode === 'none') return undefined
    if (profile.auth_mode === 'api_key') return readVault(this.#deps, profile.secret_ref)
    return readStore(store, (reader) => findTokens(reader, vault, profile.auth_profile_id))?.access_token
  }

  /** Refreshes the tokens of a server. Requests for one profile share one refresh. */
  async refresh(request: refreshes.RefreshRequest, write: Write<ServerAuthStatus | null>): Promise<ServerAuthStatus> {
    const { store, vault } = this.#deps
    const { server_id } = request
    const now = this.#deps.clock().toISOString()
    const plan = readStore(store, (reader) => refreshes.planRefresh(reader, vault, request, now))
    if (plan !== undefined) {
      const { auth_profile_id } = plan.profile
      const running = this.#refreshing.get(auth_profile_id)
      if (running === undefined) {
        const turn = this.#renew(server_id, plan, write)
        this.#refreshing.set(auth_profile_id, turn)
        await turn.finally(() => this.#refreshing.delete(auth_profile_id))
      } else await running
    }
    return store.read((reader) => readServerAuth(reader, server_id))
  }

  /** Gets a new token if the stored one cannot be used and the profile allows that without a person. */
  async renewIfDue(server_id: string, write: Write<ServerAuthStatus | null>): Promise<void> {
    const { store, clock } = this.#deps
    const profile = readStore(store, (reader) => findServerProfile(reader, server_id))
    if (profile?.auth_mode.startsWith('oauth2_') !== true) return
    if (profile.status === 'healthy' && !isExpired(profile, clock().toISOString())) return
    try {
      await this.refresh({ server_id, force: true, is_automatic: true }, write)
    } catch (error) {
      // Whether there is a token is asked next.
      if (!(error instanceof Failure)) throw error
    }
  }

  async revoke(
    { server_id, revoke_remote, keep_auth_profile }: RevokeRequest,
    write: Write<Revocation>,
  ): Promise<Revocation> {
    const remote = revoke_remote ? await this.#revokeRemotely(server_id) : undefined
    return write((ctx) => refreshes.revokeTokens(ctx, { server_id, keep_auth_profile, remote }))
  }

  async #renew(server_id: string, plan: refreshes.RefreshPlan, write: Write<ServerAuthStatus | null>): Promise<void> {
    const { vault } = this.#deps
    const { auth_profile_id } = plan.profile
    const key = { server_id, auth_profile_id }
    const { OAuthFault } = await loadOAuth()
    try {
      const granted = await withOAuthNetwork(this.#deps, server_id, (network) =>
        this.#request(server_id, plan, network),
      )
      await write((ctx) => refreshes.recordRefresh(ctx, vault, key, granted))
    } catch (error) {
      if (!(error instanceof OAuthFault)) throw error
      await write((ctx) => {
        refreshes.recordRefreshFault(ctx, key, error)
        return null
      })
      throw toExchangeFailure(error)
    }
  }

  async #request(
    serverId: string,
    { profile, tokens }: refreshes.RefreshPlan,
    network: OAuthNetwork,
  ): Promise<StoredGrant> {
    const { refreshTokens } = await loadOAuth()
    const refresh_token = tokens?.refresh_token
    if (profile.auth_mode !== 'oauth2_client_credentials' && tokens !== undefined && refresh_token !== undefined) {
      const grant = await refreshTokens(tokens.source as unknown as GrantContext, refresh_token, network)
      return { grant, requested: profile.scopes_granted, source: tokens.source }
    }
    return profile.auth_mode === 'oauth2_on_behalf_of'
      ? this.#exchangeAssertion(serverId, profile, network)
      : this.#requestForService(serverId, profile, network)
  }

  async #requestForService(serverId: string, profile: AuthProfileRow, network: OAuthNetwork): Promise<StoredGrant> {
    const { requestServiceToken } = await loadOAuth()
    const context = await this.#discoverService(serverId, profile, network)
    const scopes = this.#listScopes(serverId, profile)
    // Microsoft gives services what an administrator granted to them, under one name for all of it.
    const asked = profile.provider === 'm365' ? [`${this.#findGraphOrigin(serverId)}/.default`] : scopes
    const grant = await requestServiceToken(context, asked, network)
    return {
      grant: profile.provider === 'm365' ? { ...grant, scopes } : grant,
      requested: scopes,
      source: { ...context },
    }
  }

  /** Gets a token for the person of whom a service stored a token. */
  async #exchangeAssertion(serverId: string, profile: AuthProfileRow, network: OAuthNetwork): Promise<StoredGrant> {
    const { exchangeAssertion, OAuthFault } = await loadOAuth()
    const server = readStore(this.#deps.store, (reader) => findServer(reader, serverId))
    if (server === undefined || !readStore(this.#deps.store, (reader) => isChainVerified(reader, server)))
      throw new OAuthFault('obo_chain_unverified', 'The on-behalf-of chain was not verified.')
    const assertion = readVault(this.#deps, formatAssertionRef(profile.auth_profile_id))
    if (assertion === undefined) throw new OAuthFault('assertion_required', 'The vault has no assertion of a person.')
    const context = await this.#discoverService(serverId, profile, network)
    const requested = this.#listScopes(serverId, profile)
    const grant = await exchangeAssertion(context, { assertion, scopes: requested }, network)
    return { grant, requested, source: { ...context } }
  }

  #listScopes(serverId: string, profile: AuthProfileRow): readonly string[] {
    const server = readStore(this.#deps.store, (reader) => findServer(reader, serverId))
    const more = server === undefined ? [] : this.#deps.store.read((reader) => listRequestedScopes(reader, server))
    return [...new Set([...profile.scopes, ...more])]
  }

  #findGraphOrigin(serverId: string): string {
    const { store, m365_graph_url } = this.#deps
    return new URL(readStore(store, (reader) => findServer(reader, serverId))?.endpoint_url ?? m365_graph_url).origin
  }

  /** The authorization server and the client of a service that signs in by itself. */
  async #discoverService(serverId: string, profile: AuthProfileRow, network: OAuthNetwork): Promise<GrantContext> {
    const { discoverAuthorizationServer, OAuthFault } = await loadOAuth()
    const { client_id, secret_ref } = profile
    if (client_id === undefined || secret_ref === undefined) {
      throw new OAuthFault('client_secret_required', 'The profile needs client_id and secret_ref.')
    }
    const client_secret = readVault(this.#deps, secret_ref)
    const endpoint_url = readStore(this.#deps.store, (reader) => findServer(reader, serverId))?.endpoint_url
    const { as, resource } = await discoverAuthorizationServer(profile, { ...this.#deps, endpoint_url }, network)
    return { as, client: { client_id, client_secret, issuer: as.issuer }, resource }
  }

  /** Tells the authorization server. Returns why that failed, if it did: the tokens are forgotten here anyway. */
  async #revokeRemotely(serverId: string): Promise<string | undefined> {
    const { store, vault } = this.#deps
    const profile = readStore(store, (reader) => findServerProfile(reader, serverId))
    const tokens = profile && readStore(store, (reader) => findTokens(reader, vault, profile.auth_profile_id))
    if (tokens === undefined) return undefined
    const { OAuthFault, revokeToken } = await loadOAuth()
    try {
      const token = tokens.refresh_token ?? tokens.access_token
      await withOAuthNetwork(this.#deps, serverId, (network) =>
        revokeToken(tokens.source as unknown as GrantContext, token, network),
      )
      return undefined
    } catch (error) {
      if (error instanceof OAuthFault) return error.reason_code
      throw error
    }
  }
}
