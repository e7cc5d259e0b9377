import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import type { WhenOver } from '../kit/phone-of-the-run.ts'

export interface CutProxy {
  readonly port: number
  /** From now on nothing passes, in either direction. Connections stay open, as when a cable is pulled. */
  cut(): void
  /** New connections pass again. Those that were cut end. */
  mend(): void
}

/** A network between two programs of a test. */
export async function startCutProxy(target: number, whenOver: WhenOver): Promise<CutProxy> {
  const sockets = new Set<Socket>()
  let isCut = false
  const forward = (from: Socket, to: Socket) => {
    sockets.add(from)
    from.on('data', (chunk) => {
      if (!isCut) to.write(chunk)
    })
    from.on('error', () => {})
    from.on('close', () => {
      sockets.delete(from)
      to.destroy()
    })
  }
  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1')
    forward(client, upstream)
    forward(upstream, client)
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const endAll = () => {
    for (const socket of sockets) socket.destroy()
  }
  whenOver(() => {
    endAll()
    server.close()
  })
  return {
    port: (server.address() as AddressInfo).port,
    cut: () => {
      isCut = true
    },
    mend: () => {
      isCut = false
      endAll()
    },
  }
}
