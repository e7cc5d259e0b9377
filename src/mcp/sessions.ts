import { EventEmitter } from 'node:events'
import { type Server, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'

const MAX_SESSIONS = 500
const MAX_SESSIONS_PER_CALLER = 64
const IDLE_MS = 60 * 60_000

/** One open session. It emits `close` when it ends. */
export class McpSession extends EventEmitter {
  readonly transport: WebStandardStreamableHTTPServerTransport
  readonly server: Server
  /** The key of the token that opened the session. No other token may use it. */
  readonly key: string
  usedAtMs: number
  destroyed = false

  constructor(transport: WebStandardStreamableHTTPServerTransport, server: Server, key: string, nowMs: number) {
    super()
    this.transport = transport
    this.server = server
    this.key = key
    this.usedAtMs = nowMs
  }

  /** Ends the session and its streams. */
  destroy(): void {
    if (this.destroyed) return
    this.destroyed = true
    this.emit('close')
    void this.transport.close()
  }
}

export interface SessionDeps {
  readonly newId: () => string
  readonly nowMs: () => number
}

/** The open MCP sessions. A session ends when its client deletes it, its token ends, or nobody used it for an hour. */
export class McpSessions {
  readonly #deps: SessionDeps
  readonly #sessions = new Map<string, McpSession>()

  constructor(deps: SessionDeps) {
    this.#deps = deps
  }

  get count(): number {
    return this.#sessions.size
  }

  /** The session, if the caller opened it. */
  find(id: string, key: string): McpSession | undefined {
    const found = this.#sessions.get(id)
    if (found === undefined || found.key !== key) return undefined
    found.usedAtMs = this.#deps.nowMs()
    return found
  }

  /** Creates a transport whose first request opens the session. Undefined if too many are open. */
  async open(
    server: Server,
    key: string,
    onOpened: (session: McpSession) => void,
  ): Promise<WebStandardStreamableHTTPServerTransport | undefined> {
    this.#endIdle()
    const own = [...this.#sessions.values()].filter((session) => session.key === key)
    if (this.#sessions.size >= MAX_SESSIONS || own.length >= MAX_SESSIONS_PER_CALLER) return undefined
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: this.#deps.newId,
      onsessioninitialized: (id) => {
        const session = new McpSession(transport, server, key, this.#deps.nowMs())
        this.#sessions.set(id, session)
        session.once('close', () => this.#sessions.delete(id))
        onOpened(session)
      },
      onsessionclosed: (id) => this.#sessions.get(id)?.destroy(),
    })
    await server.connect(transport)
    return transport
  }

  /** Tells every client that its list of tools changed. */
  announceTools(): void {
    for (const { server } of this.#sessions.values()) {
      // A client without an open stream asks for the list when it needs it.
      server.sendToolListChanged().catch(() => undefined)
    }
  }

  endAll(): void {
    for (const session of this.#sessions.values()) session.destroy()
  }

  #endIdle(): void {
    const since = this.#deps.nowMs() - IDLE_MS
    for (const session of this.#sessions.values()) if (session.usedAtMs < since) session.destroy()
  }
}
