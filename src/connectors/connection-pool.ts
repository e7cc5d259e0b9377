import { createHash } from 'node:crypto'
import { type Connection, type ConnectionRules, type ConnectionTarget, openConnection } from './connection.ts'
import { isAnswer, isSessionLost } from './connection-errors.ts'

/** A server, and the secret that requests to it carry now. */
export interface PoolTarget extends ConnectionTarget {
  readonly server_id: string
  readonly bearer?: string | undefined
}

interface KeptConnection {
  readonly server_id: string
  /** Changes with the address, the program and the secret. */
  readonly key: string
  readonly opening: Promise<Connection>
  connection: Connection | undefined
  users: number
  /** Takes no more users, and is closed after the last one. */
  isRetired: boolean
  usedAt: number
  timer?: NodeJS.Timeout
}

const OPENING_MS = 30_000

/**
 * Keeps one connection per server, so that calls do without the handshake. A connection is closed when nobody has used it
 * for a while, and replaced after a failure or when the server or its secret changed.
 */
export class ConnectionPool {
  readonly #rules: ConnectionRules
  readonly #limits: { readonly idle_ms: number; readonly max_connections: number }
  readonly #kept = new Map<string, KeptConnection>()
  readonly #closing = new AbortController()
  readonly #ending = new Set<Promise<void>>()

  constructor(rules: ConnectionRules, limits = { idle_ms: 60_000, max_connections: 32 }) {
    this.#rules = rules
    this.#limits = limits
  }

  /** How many connections are kept. */
  get size(): number {
    return this.#kept.size
  }

  /**
   * Uses the connection of a server. If the server has forgotten the session of a kept connection, it has not taken the
   * request, so the work is done once more on a new one. With `keep: false` a new connection is closed after its use.
   */
  async use<T>(
    target: PoolTarget,
    signal: AbortSignal,
    work: (connection: Connection, isNew: boolean) => Promise<T>,
    { keep = true }: { readonly keep?: boolean } = {},
  ): Promise<T> {
    for (let isFirst = true; ; isFirst = false) {
      const { kept, isNew } = this.#take(target)
      try {
        return await work(await abortable(kept.opening, signal), isNew)
      } catch (error) {
        const isForgotten = !isNew && kept.connection?.hasSession() === true && isSessionLost(error)
        if (!isAnswer(error)) this.#retire(kept)
        if (!isFirst || !isForgotten || signal.aborted) throw error
      } finally {
        this.#release(kept, keep || !isNew)
      }
    }
  }

  /** Closes the connection of a server when its requests have ended. */
  drop(serverId: string): void {
    const kept = this.#kept.get(serverId)
    if (kept !== undefined) this.#retire(kept)
  }

  async close(): Promise<void> {
    this.#closing.abort()
    for (const kept of this.#kept.values()) {
      this.#retire(kept)
      this.#end(kept)
    }
    await Promise.all(this.#ending)
  }

  #take(target: PoolTarget): { kept: KeptConnection; isNew: boolean } {
    const { server_id } = target
    const key = makeKey(target)
    const found = this.#kept.get(server_id)
    if (found !== undefined && found.key === key && found.connection?.isOpen() !== false) {
      clearTimeout(found.timer)
      found.users += 1
      return { kept: found, isNew: false }
    }
    if (found !== undefined) this.#retire(found)
    this.#makeRoom()
    const kept = this.#open(target, key)
    if (this.#kept.size < this.#limits.max_connections) this.#kept.set(server_id, kept)
    // Beyond the limit a connection serves one use.
    else kept.isRetired = true
    return { kept, isNew: true }
  }

  #open({ server_id, endpoint_url, display_name, bearer }: PoolTarget, key: string): KeptConnection {
    const signal = AbortSignal.any([AbortSignal.timeout(OPENING_MS), this.#closing.signal])
    const opening = openConnection({ endpoint_url, display_name }, { ...this.#rules, bearer }, signal)
    const kept: KeptConnection = {
      server_id,
      key,
      opening,
      connection: undefined,
      users: 1,
      isRetired: false,
      usedAt: Date.now(),
    }
    void this.#watch(kept)
    return kept
  }

  async #watch(kept: KeptConnection): Promise<void> {
    try {
      kept.connection = await kept.opening
    } catch {
      this.#retire(kept)
    }
  }

  #release(kept: KeptConnection, keep: boolean): void {
    kept.users -= 1
    kept.usedAt = Date.now()
    if (kept.users > 0) return
    if (!keep) this.#retire(kept)
    if (kept.isRetired) this.#end(kept)
    else kept.timer = setTimeout(() => this.#retire(kept), this.#limits.idle_ms).unref()
  }

  #retire(kept: KeptConnection): void {
    clearTimeout(kept.timer)
    kept.isRetired = true
    if (this.#kept.get(kept.server_id) === kept) this.#kept.delete(kept.server_id)
    if (kept.users === 0) this.#end(kept)
  }

  /** Closes the connection that has been unused for the longest time, if there are too many. */
  #makeRoom(): void {
    if (this.#kept.size < this.#limits.max_connections) return
    const unused = [...this.#kept.values()].filter(({ users }) => users === 0)
    const [oldest] = unused.toSorted((a, b) => a.usedAt - b.usedAt)
    if (oldest !== undefined) this.#retire(oldest)
  }

  #end({ opening }: KeptConnection): void {
    const ending = opening.then(
      (connection) => connection.close().catch(() => undefined),
      () => undefined,
    )
    this.#ending.add(ending)
    void ending.finally(() => this.#ending.delete(ending))
  }
}

/** The secret itself is not kept beside the connection. */
function makeKey({ endpoint_url, display_name, bearer }: PoolTarget): string {
  const parts = [endpoint_url ?? `program ${display_name}`, bearer]
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex')
}

/** Waits for the promise until the signal fires. */
async function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted()
  let stop = (): void => undefined
  const stopped = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal.reason as Error)
    signal.addEventListener('abort', stop, { once: true })
  })
  try {
    return await Promise.race([promise, stopped])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
