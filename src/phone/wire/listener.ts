import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import type { AddressInfo } from 'node:net'

export interface Listener {
  /** Does not change when the listener stops and starts. */
  readonly port: number
  /** Number of open connections. */
  readonly connections: number
  /** Closes all connections. With `reset`, by a TCP reset. */
  cut(options?: { readonly reset?: boolean }): void
  /** Stops listening and closes all connections. */
  stop(): Promise<void>
  /** Listens again on the same port. */
  start(): Promise<void>
}

/** Starts a TCP listener that tracks its connections, so that it can close them. */
export async function listen(
  address: { readonly host: string; readonly port: number },
  onConnection: (socket: Socket) => void,
): Promise<Listener> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => socket.destroy())
    onConnection(socket)
  })

  const open = async (port: number) => {
    server.listen(port, address.host)
    await once(server, 'listening')
  }
  await open(address.port)
  const { port } = server.address() as AddressInfo

  const cut = (options: { readonly reset?: boolean } = {}) => {
    for (const socket of sockets) {
      if (options.reset === true) socket.resetAndDestroy()
      else socket.destroy()
    }
  }
  const stop = async () => {
    const closed: Promise<unknown>[] = [...sockets].map((socket) => once(socket, 'close'))
    if (server.listening) closed.push(once(server, 'close'))
    server.close()
    cut()
    await Promise.all(closed)
  }
  const start = async () => {
    if (!server.listening) await open(port)
  }
  return {
    port,
    get connections() {
      return sockets.size
    },
    cut,
    stop,
    start,
  }
}
