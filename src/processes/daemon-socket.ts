import { rm } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { makeTemporaryFolder } from '../home/private-files.ts'

/** A socket file that leads to the daemon. */
export interface DaemonSocket {
  readonly path: string
  close(): Promise<void>
}

/**
 * Opens a socket through which a program without network reaches the daemon, and nothing else. Its folder is a new one
 * with a short path, because the path of a socket may have about 100 characters only.
 */
export async function openDaemonSocket(url: string): Promise<DaemonSocket> {
  const { hostname, port } = new URL(url)
  const host = hostname.replace(/^\[|\]$/g, '')
  const folder = await makeTemporaryFolder('apprentice-run-')
  const path = join(folder, 'daemon')
  const open = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true }, (inner) => {
    const outer = connect({ host, port: Number(port), allowHalfOpen: true })
    for (const socket of [inner, outer]) {
      open.add(socket)
      socket.once('close', () => {
        open.delete(socket)
        inner.destroy()
        outer.destroy()
      })
      // A broken connection is reported to the program by its own end of the socket.
      socket.on('error', () => undefined)
    }
    inner.pipe(outer)
    outer.pipe(inner)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, resolve)
  })
  return {
    path,
    close: async () => {
      for (const socket of open) socket.destroy()
      await new Promise<void>((resolve) => {
        server.close(() => resolve())
      })
      await rm(folder, { recursive: true, force: true })
    },
  }
}
