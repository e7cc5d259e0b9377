import { connect, createServer } from 'node:net'
import type { AddressInfo, Server, Socket } from 'node:net'

/** A TCP door before an adb server: counts who is inside and can throw everybody out. */
export interface ServerDoor {
  readonly port: number
  /** Client connections open now. */
  readonly connections: number
  /** Resets every connection, as a dying host does. */
  reset(): void
  /** Connections stay open and silent until `release`; new ones too, unless let through. */
  hold(newcomers?: 'held' | 'let through'): void
  release(): void
  /** Nobody answers at the port any more. */
  shut(): Promise<void>
  /** Answers at the same port again. */
  open(): Promise<void>
}

export async function startServerDoor(target: { readonly port: number }): Promise<ServerDoor> {
  const house: House = { targetPort: target.port, inside: new Set(), held: false }
  let server = await listenOn(0, house)
  const { port } = server.address() as AddressInfo
  return {
    port,
    get connections() {
      return house.inside.size
    },
    reset() {
      for (const { client } of house.inside) client.resetAndDestroy()
    },
    hold(newcomers = 'held') {
      house.held = newcomers === 'held'
      for (const pair of house.inside) separate(pair)
    },
    release() {
      house.held = false
      for (const pair of house.inside) join(pair)
    },
    async shut() {
      for (const { client } of house.inside) client.destroy()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
    async open() {
      server = await listenOn(port, house)
    },
  }
}

interface Pair {
  readonly client: Socket
  readonly upstream: Socket
}

interface House {
  readonly targetPort: number
  readonly inside: Set<Pair>
  held: boolean
}

function listenOn(port: number, house: House): Promise<Server> {
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    const target = { host: '127.0.0.1', port: house.targetPort, allowHalfOpen: true }
    const pair = { client, upstream: connect(target) }
    house.inside.add(pair)
    pair.upstream.setNoDelay(true)
    client.on('close', () => {
      house.inside.delete(pair)
      pair.upstream.destroy()
    })
    pair.upstream.on('close', () => client.destroySoon())
    client.on('error', () => {})
    pair.upstream.on('error', () => {})
    if (!house.held) join(pair)
  })
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => resolve(server))
  })
}

function join({ client, upstream }: Pair): void {
  client.pipe(upstream)
  upstream.pipe(client)
}

function separate({ client, upstream }: Pair): void {
  client.unpipe(upstream).pause()
  upstream.unpipe(client).pause()
}
