import { randomBytes } from 'node:crypto'
import type { z } from 'zod'
import type { finishConnectorSignIn, SignInStart } from '@apprentice/contracts/connectors/sign-in.ts'
import type { ServerAuthStatus } from '@apprentice/contracts/connectors/server.ts'
import type { GrantContext } from '../connectors/oauth/grants.ts'
import type { OAuthClient } from '../connectors/oauth/oauth-client.ts'
import { type CommandContext, systemActor, writeAs } from '../domain/command/context.ts'
import * as signIns from '../domain/connectors/sign-in/sign-ins.ts'
import { formatClientRef, formatSignInRef } from '../domain/connectors/registry/vault.ts'
import { Failure } from '../failure/failure.ts'
import { isTokenRevoked } from '../store/config/tokens.ts'
import { findSignIn, listOpenSignIns, type SignInRow } from '../store/connectors/sign-ins.ts'
import { loadOAuth, type OAuthDeps, readVault, toExchangeFailure, withOAuthNetwork } from './oauth-access.ts'

/** What the callback needs. It is kept in the vault. */
interface KeptSignIn extends GrantContext {
  readonly verifier: string
  readonly code?: string | undefined
  readonly state?: string | undefined
  readonly iss?: string | undefined
  /** The token that began the sign-in, which ends with it. */
  readonly token_id?: string | undefined
  /** The request that began the sign-in, and its reply. */
  readonly begun_by?: { readonly id: string; readonly scopes: string } | undefined
  readonly reply?: SignInStart | undefined
}

export interface SignInRequest {
  readonly server_id: string
  readonly scopes_override?: readonly string[] | undefined
  /** Where the browser is sent back, unless the profile says otherwise. */
  readonly redirect_uri: string
  readonly user_id: string
  /** The token of the request. */
  readonly token_id: string | undefined
  /** A repeated request gets the same sign-in, while it is open. */
  readonly client_request_id?: string | undefined
}

type Callback = z.infer<typeof finishConnectorSignIn.query>
type Write<T> = (work: (ctx: CommandContext) => T) => Promise<T>

/** Signs people in to servers with the authorization code flow and PKCE. */
export class SignInFlow {
  readonly #deps: OAuthDeps
  /** Sign-ins that are being prepared, by request. */
  readonly #starting = new Map<string, Promise<SignInStart>>()

  constructor(deps: OAuthDeps) {
    this.#deps = deps
  }

  /** Begins a sign-in. A repeated request gets the one that it began. Its reply is kept in the vault only. */
  async start(request: SignInRequest, write: Write<SignInStart>): Promise<SignInStart> {
    const { client_request_id, server_id, user_id } = request
    if (client_request_id === undefined) return this.#start(request, write)
    const key = JSON.stringify([user_id, server_id, client_request_id])
    const running = this.#starting.get(key)
    if (running !== undefined) {
      await running.catch(() => undefined)
      return this.start(request, write)
    }
    const before = this.#findStarted(request, client_request_id)
    if (before !== undefined) return before
    const turn = this.#start(request, write)
    this.#starting.set(key, turn)
    return turn.finally(() => this.#starting.delete(key))
  }

  #findStarted(request: SignInRequest, requestId: string): SignInStart | undefined {
    const { store, clock } = this.#deps
    const now = clock().toISOString()
    const waiting = store.read((reader) => signIns.listWaitingSignIns(reader, { ...request, now }))
    const kept = waiting
      .map((row) => this.#findKept(row))
      .find((one) => one?.begun_by?.id === requestId && !this.#isRevoked(one))
    if (kept === undefined || kept.begun_by?.scopes === formatScopes(request)) return kept?.reply
    throw new Failure(
      'IDEMPOTENCY_CONFLICT',
      'This request id was already used for a different request. Use a new one.',
    )
  }

  async #start(request: SignInRequest, write: Write<SignInStart>): Promise<SignInStart> {
    const { store, vault, newId } = this.#deps
    const target = store.read((reader) => signIns.prepareSignIn(reader, request.server_id, request.scopes_override))
    const redirect_uri = target.profile.redirect_uri ?? request.redirect_uri
    const { context, scopes } = await this.#discover(target, redirect_uri)
    const [state, verifier] = [randomBytes(32).toString('base64url'), randomBytes(48).toString('base64url')]
    const { buildSignInUrl } = await loadOAuth()
    const url = await buildSignInUrl(context, { redirect_uri, scopes, state, verifier })
    const { client_request_id: id, token_id } = request
    const begun_by = id === undefined ? undefined : { id, scopes: formatScopes(request) }
    const kept: KeptSignIn = { ...context, verifier, token_id, begun_by }
    const isReused = target.profile.client_id === undefined
    const made = {
      sign_in_id: newId(),
      state,
      redirect_uri,
      url,
      kept,
      client: isReused ? JSON.stringify(context.client) : undefined,
    }
    return write((ctx) => signIns.startSignIn(ctx, vault, { ...target, scopes }, made))
  }

  async finish(serverId: string, callback: Callback, userByCookie: string | undefined): Promise<ServerAuthStatus> {
    const { store, vault } = this.#deps
    const { state, code, iss, error } = callback
    const waiting = store.read((reader) =>
      signIns.findWaitingSignIn(reader, serverId, state, this.#deps.clock().toISOString()),
    )
    if (userByCookie !== undefined && userByCookie !== waiting.user_id) {
      throw new Failure('FORBIDDEN', 'Another user began this sign-in.')
    }
    if (error !== undefined || code === undefined) {
      const reason = /^[a-z_]{1,60}$/.test(error ?? '') ? (error ?? '') : 'no_code'
      return this.#writeFor(waiting, (ctx) => {
        const row = signIns.findWaitingSignIn(ctx.tx, serverId, state, ctx.now)
        return signIns.failSignIn(ctx, row, reason)
      })
    }
    const begun = this.#readKept(waiting)
    if (this.#isRevoked(begun)) throw signIns.refuseState('expired')
    const kept: KeptSignIn = { ...begun, code, state, iss }
    const claimed = await this.#writeFor(waiting, (ctx) =>
      signIns.claimSignIn(ctx, vault, { server_id: serverId, state, kept: JSON.stringify(kept) }),
    )
    return this.#exchange(claimed, kept)
  }

  /** Goes on with the exchanges that a stop of the daemon interrupted. A code that was used meanwhile ends the sign-in. */
  async recover(): Promise<void> {
    const open = this.#deps.store.read(listOpenSignIns).filter(({ status }) => status === 'exchanging')
    for (const row of open) {
      const kept = this.#findKept(row)
      // What went wrong is recorded with the sign-in.
      if (kept !== undefined) await this.#exchange(row, kept).catch(() => undefined)
      else await this.#writeFor(row, (ctx) => signIns.failSignIn(ctx, row, 'vault_unreadable'))
    }
  }

  async #exchange(row: SignInRow, kept: KeptSignIn): Promise<ServerAuthStatus> {
    const { vault } = this.#deps
    const { code = '', state = '', iss, verifier, as, client, resource } = kept
    const { redirect_uri, scopes } = row
    const { exchangeCode, OAuthFault } = await loadOAuth()
    try {
      const request = { code, state, iss, redirect_uri, verifier }
      const grant = await withOAuthNetwork(this.#deps, row.server_id, (network) => exchangeCode(kept, request, network))
      const source = { as, client, resource }
      return await this.#writeFor(row, (ctx) =>
        signIns.completeSignIn(ctx, vault, row, { grant, requested: scopes, source }),
      )
    } catch (error) {
      // A stop of the daemon ends nothing: the next start goes on.
      if (!(error instanceof OAuthFault) || this.#deps.closing.aborted) throw error
      await this.#writeFor(row, (ctx) => signIns.failSignIn(ctx, row, error.reason_code))
      if (error.isRefused) throw new Failure('MCP_OAUTH_CALLBACK_EXPIRED', 'The code was not accepted. Sign in again.')
      throw toExchangeFailure(error)
    }
  }

  async #discover(target: signIns.SignInTarget, redirect_uri: string) {
    const { server, profile, scopes } = target
    const { chooseClient, discoverAuthorizationServer } = await loadOAuth()
    return this.#asFailure(() =>
      withOAuthNetwork(this.#deps, server.server_id, async (network) => {
        const found = await discoverAuthorizationServer(
          profile,
          { ...this.#deps, endpoint_url: server.endpoint_url },
          network,
        )
        // A profile without scopes asks for those that the server demands or lists.
        const wanted = scopes.length === 0 ? found.scopes : scopes
        const request = {
          client_id: profile.client_id,
          client_secret: readVault(this.#deps, profile.secret_ref),
          registered: this.#findClient(profile.auth_profile_id),
          metadata_url: this.#deps.client_metadata_url,
          redirect_uri,
        }
        const client = await chooseClient(found.as, request, network)
        return { context: { as: found.as, client, resource: found.resource }, scopes: wanted }
      }),
    )
  }

  async #asFailure<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      const { OAuthFault } = await loadOAuth()
      throw error instanceof OAuthFault ? toExchangeFailure(error) : error
    }
  }

  #readKept(row: SignInRow): KeptSignIn {
    const kept = this.#findKept(row)
    if (kept === undefined) throw signIns.refuseState('unknown')
    return kept
  }

  #isRevoked({ token_id }: KeptSignIn): boolean {
    return token_id !== undefined && this.#deps.store.read((reader) => isTokenRevoked(reader, token_id))
  }

  #findKept({ sign_in_id }: SignInRow): KeptSignIn | undefined {
    const text = readVault(this.#deps, formatSignInRef(sign_in_id))
    return text === undefined ? undefined : (JSON.parse(text) as KeptSignIn)
  }

  #findClient(profileId: string): OAuthClient | undefined {
    const text = readVault(this.#deps, formatClientRef(profileId))
    return text === undefined ? undefined : (JSON.parse(text) as OAuthClient)
  }

  #writeFor<T>({ user_id, correlation_id, sign_in_id }: SignInRow, work: (ctx: CommandContext) => T): Promise<T> {
    return writeAs(this.#deps, { actor: systemActor(user_id), correlation_id }, (ctx) => {
      if (findSignIn(ctx.tx, sign_in_id) === undefined) throw new Failure('MCP_SERVER_NOT_FOUND', 'The server is gone.')
      return work(ctx)
    })
  }
}

const formatScopes = ({ scopes_override }: SignInRequest): string => JSON.stringify(scopes_override ?? null)
