import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import type { AddressInfo } from 'node:net'

export interface Listener {
  /** Stays the same over `stop` and `start`. */
  readonly port: number
  /** Connections open now. */
  readonly connections: number
  /** Ends every connection at once; with `reset` the other side reads a reset, not an end. */
  cut(options?: { readonly reset?: boolean }): void
  /** Nobody listens any more and every connection is cut. */
  stop(): Promise<void>
  /** Listens again on the same port. */
  start(): Promise<void>
}

/** A TCP listener that knows its connections, so that it can lose them and leave none behind. */
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
    const gone: Promise<unknown>[] = [...sockets].map((socket) => once(socket, 'close'))
    if (server.listening) gone.push(once(server, 'close'))
    server.close()
    cut()
    await Promise.all(gone)
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
