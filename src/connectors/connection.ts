import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as pause } from 'node:timers/promises'
import {
  Client,
  isJSONRPCNotification,
  type jsonSchemaValidator,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import type { ConnectorServer } from '@apprentice/contracts/connectors/server.ts'
import { createGuardedFetch } from './guarded-fetch.ts'
import { limitReply } from './limited-reply.ts'

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
}

/** The server to connect to. */
export type ConnectionTarget = Pick<ConnectorServer, 'endpoint_url' | 'display_name'>

export interface Connection {
  readonly client: Client
  /** Whether the server keeps a session, which it may end at any time. */
  readonly hasSession: () => boolean
  /** Whether requests can be sent. False after a program has ended. */
  readonly isOpen: () => boolean
  /** Does the work of a call. Questions that the server asks meanwhile are answered as the scope says. */
  readonly runCall: <T>(scope: CallScope, work: () => Promise<T>) => Promise<T>
  close(): Promise<void>
}

const END_OF_SESSION_MS = 2000
/** Of an answer, or of one event of a stream. It is parsed in one turn, which must not be long. */
const LARGEST_REPLY = { bytes: 8 << 20, values: 200_000, depth: 64 }
/** What belongs to the requests of one call. A connection serves several calls at the same time. */
export interface CallScope {
  /** Sees every reply before it is read. */
  readonly observe?: ((reply: Response) => void) | undefined
  /** Whether questions of the server are answered with the defaults that it states. Otherwise they are declined. */
  readonly uses_defaults?: boolean | undefined
  /** Whether the connection is opened in it, which serves other calls as well. */
  readonly isOpening?: boolean
}

const callScope = new AsyncLocalStorage<CallScope>()

export const runInScope = <T>(scope: CallScope, work: () => Promise<T>): Promise<T> => callScope.run(scope, work)

/**
 * The calls that run on one connection. A message of the server is not always a part of a reply, so it is not always
 * known to which call a question belongs.
 */
class RunningCalls {
  readonly #scopes = new Set<CallScope>()

  async run<T>(scope: CallScope, work: () => Promise<T>): Promise<T> {
    const own = { ...scope }
    this.#scopes.add(own)
    try {
      return await work()
    } finally {
      this.#scopes.delete(own)
    }
  }

  /** Defaults are used only if that is right for every call that may be meant. */
  get usesDefaults(): boolean {
    const meant = callScope.getStore()
    const scopes = meant === undefined || meant.isOpening === true ? [...this.#scopes] : [meant]
    return scopes.length > 0 && scopes.every(({ uses_defaults }) => uses_defaults === true)
  }
}

/** Connects to a server and does the handshake. `signal` ends the attempt. */
export async function openConnection(
  server: ConnectionTarget,
  rules: ConnectionRules,
  signal: AbortSignal,
): Promise<Connection> {
  const calls = new RunningCalls()
  const client = createClient(rules, calls)
  const { transport, endSession, release, hasSession } =
    server.endpoint_url === undefined ? openBridge(server.display_name, rules) : openHttp(server.endpoint_url, rules)
  let isOpen = true
  const onclose = (): void => {
    isOpen = false
  }
  Object.assign(client, { onclose })
  const waitForNotifications = trackNotifications(transport)
  const close = async (): Promise<void> => {
    await waitForNotifications()
    if (isOpen) await endSession()
    await client.close()
    await release()
  }
  try {
    // The connection outlives the call for which it is opened. Only replies to the handshake belong to that call.
    const opening = { observe: callScope.getStore()?.observe, isOpening: true }
    await callScope.run(opening, () => client.connect(transport, { signal }))
    opening.observe = undefined
    const runCall = <T>(scope: CallScope, work: () => Promise<T>): Promise<T> => calls.run(scope, work)
    return { client, hasSession, isOpen: () => isOpen, runCall, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Returns a function that waits until the server has what it was told, such as that a call was cancelled. */
function trackNotifications(transport: Transport): () => Promise<void> {
  const sending = new Set<Promise<void>>()
  const send = transport.send.bind(transport)
  transport.send = async (message, options) => {
    const sent = send(message, options)
    if (isJSONRPCNotification(message)) {
      const settled = sent.catch(() => undefined).finally(() => sending.delete(settled))
      sending.add(settled)
    }
    await sent
  }
  return async () => {
    if (sending.size > 0) await Promise.race([Promise.all(sending), pauseBriefly()])
  }
}

const pauseBriefly = (): Promise<void> => pause(END_OF_SESSION_MS, undefined, { ref: false })

/**
 * Results are passed on as they are. To check them by what their server says about them would be to run expressions of
 * strangers.
 */
const ACCEPTING: jsonSchemaValidator = {
  getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
}

/** No person is there to answer questions of a server, so what the caller decided about them holds. */
function createClient({ version }: ConnectionRules, calls: RunningCalls): Client {
  const capabilities = { elicitation: { form: { applyDefaults: true } } }
  const client = new Client({ name: 'apprentice', version }, { capabilities, jsonSchemaValidator: ACCEPTING })
  client.setRequestHandler('elicitation/create', () =>
    calls.usesDefaults ? { action: 'accept', content: {} } : { action: 'decline' },
  )
  return client
}

function openHttp(url: string, { allowed_hosts, bearer }: ConnectionRules) {
  const guarded = createGuardedFetch(allowed_hosts)
  const requestInit = bearer === undefined ? {} : { headers: { authorization: `Bearer ${bearer}` } }
  const send: typeof fetch = async (input, init) => {
    const reply = limitReply(await guarded.fetch(input, init), LARGEST_REPLY)
    callScope.getStore()?.observe?.(reply)
    return reply
  }
  const transport = new StreamableHTTPClientTransport(new URL(url), { fetch: send, requestInit })
  const hasSession = (): boolean => transport.sessionId !== undefined
  /** The server may forget the session. It need not support that, and nobody waits for it long. */
  const endSession = async (): Promise<void> => {
    if (!hasSession()) return
    await Promise.race([transport.terminateSession().catch(() => undefined), pauseBriefly()])
  }
  return { transport, hasSession, endSession, release: () => guarded.close() }
}

/** The program gets its configured environment and nothing of the daemon's. */
function openBridge(name: string, { bridges }: ConnectionRules) {
  const program = bridges[name]
  if (program === undefined) throw new Error(`The settings name no local bridge ${name}.`)
  const { command, args, env } = program
  const transport = new StdioClientTransport({ command, args: [...args], env: { ...env }, stderr: 'ignore' })
  return { transport, hasSession: () => false, endSession: async () => {}, release: async () => {} }
}
