import { EventEmitter } from 'node:events'
import { type Server, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'
import type { McpChanges } from './resources.ts'

const MAX_SESSIONS = 500
const MAX_SESSIONS_PER_CALLER = 64
const IDLE_MS = 60 * 60_000

/** Whose session it is and what it talks to. */
export interface SessionParts {
  readonly server: Server
  /** The key of the token that opened the session. No other token may use it. */
  readonly key: string
  readonly user_id: string
  /** The addresses of the resources whose changes the client wants to know. */
  readonly subscriptions: ReadonlySet<string>
}

/** One open session. It emits `close` when it ends. */
export class McpSession extends EventEmitter {
  readonly transport: WebStandardStreamableHTTPServerTransport
  readonly parts: SessionParts
  usedAtMs: number
  destroyed = false

  constructor(transport: WebStandardStreamableHTTPServerTransport, parts: SessionParts, nowMs: number) {
    super()
    this.transport = transport
    this.parts = parts
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
    if (found === undefined || found.parts.key !== key) return undefined
    found.usedAtMs = this.#deps.nowMs()
    return found
  }

  /** Creates a transport whose first request opens the session. Undefined if too many are open. */
  async open(
    parts: SessionParts,
    onOpened: (session: McpSession) => void,
  ): Promise<WebStandardStreamableHTTPServerTransport | undefined> {
    this.#endIdle()
    const own = [...this.#sessions.values()].filter(({ parts: { key } }) => key === parts.key)
    if (this.#sessions.size >= MAX_SESSIONS || own.length >= MAX_SESSIONS_PER_CALLER) return undefined
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: this.#deps.newId,
      onsessioninitialized: (id) => {
        const session = new McpSession(transport, parts, this.#deps.nowMs())
        this.#sessions.set(id, session)
        session.once('close', () => this.#sessions.delete(id))
        onOpened(session)
      },
      onsessionclosed: (id) => this.#sessions.get(id)?.destroy(),
    })
    await parts.server.connect(transport)
    return transport
  }

  /** Tells each client what changed for its user. A client without an open stream asks when it needs something. */
  announce(findChangesFor: (userId: string) => McpChanges): void {
    const changes = new Map<string, McpChanges>()
    for (const { parts } of this.#sessions.values()) {
      const { user_id } = parts
      const known = changes.get(user_id) ?? findChangesFor(user_id)
      changes.set(user_id, known)
      tell(parts, known)
    }
  }

  /** Tells the clients of one token that their tools changed. */
  announceTools(key: string): void {
    for (const { parts } of this.#sessions.values()) {
      if (parts.key === key) parts.server.sendToolListChanged().catch(() => undefined)
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

function tell({ server, subscriptions }: SessionParts, { tools, resources, updated }: McpChanges): void {
  const sent: Promise<void>[] = []
  if (tools) sent.push(server.sendToolListChanged())
  if (resources) sent.push(server.sendResourceListChanged())
  for (const uri of updated) if (subscriptions.has(uri)) sent.push(server.sendResourceUpdated({ uri }))
  for (const one of sent) one.catch(() => undefined)
}
