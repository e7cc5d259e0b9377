import { connect, createServer } from 'node:net'
import type { AddressInfo, Server, Socket } from 'node:net'

/** A TCP proxy in front of an adb server that counts connections and can break them. */
export interface ServerProxy {
  readonly port: number
  /** Number of open client connections. */
  readonly connections: number
  /** Resets every connection, as a crashing host does. */
  reset(): void
  /** Connections stay open without data until `release`; new ones too, unless `pass`. */
  hold(newConnections?: 'hold' | 'pass'): void
  release(): void
  /** Closes the port. */
  shut(): Promise<void>
  /** Opens the same port again. */
  open(): Promise<void>
}

export async function startServerProxy(target: { readonly port: number }): Promise<ServerProxy> {
  const state: ProxyState = { targetPort: target.port, pairs: new Set(), isHeld: false }
  let server = await listenOn(0, state)
  const { port } = server.address() as AddressInfo
  return {
    port,
    get connections() {
      return state.pairs.size
    },
    reset() {
      for (const { client } of state.pairs) client.resetAndDestroy()
    },
    hold(newConnections = 'hold') {
      state.isHeld = newConnections === 'hold'
      for (const pair of state.pairs) disconnectPair(pair)
    },
    release() {
      state.isHeld = false
      for (const pair of state.pairs) connectPair(pair)
    },
    async shut() {
      for (const { client } of state.pairs) client.destroy()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
    async open() {
      server = await listenOn(port, state)
    },
  }
}

interface Pair {
  readonly client: Socket
  readonly upstream: Socket
}

interface ProxyState {
  readonly targetPort: number
  readonly pairs: Set<Pair>
  isHeld: boolean
}

function listenOn(port: number, state: ProxyState): Promise<Server> {
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    const target = { host: '127.0.0.1', port: state.targetPort, allowHalfOpen: true }
    const pair = { client, upstream: connect(target) }
    state.pairs.add(pair)
    pair.upstream.setNoDelay(true)
    client.on('close', () => {
      state.pairs.delete(pair)
      pair.upstream.destroy()
    })
    pair.upstream.on('close', () => client.destroySoon())
    client.on('error', () => {})
    pair.upstream.on('error', () => {})
    if (!state.isHeld) connectPair(pair)
  })
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => resolve(server))
  })
}

function connectPair({ client, upstream }: Pair): void {
  client.pipe(upstream)
  upstream.pipe(client)
}

function disconnectPair({ client, upstream }: Pair): void {
  client.unpipe(upstream).pause()
  upstream.unpipe(client).pause()
}
