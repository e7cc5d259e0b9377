import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Site {
  readonly port: number
  readonly url: string
  /** The paths that were requested, in order. */
  readonly requested: string[]
  close(): void
}

const HTML = { 'content-type': 'text/html; charset=utf-8' }

export type SitePage = (reply: ServerResponse, request: IncomingMessage) => void

/** A small system with one page per misbehaviour, on a free port of this computer. */
export async function openSite(pages: Readonly<Record<string, SitePage>> = {}): Promise<Site> {
  const requested: string[] = []
  const server = createServer((request, reply) => {
    const path = (request.url ?? '/').split('?', 1)[0] ?? '/'
    requested.push(path)
    const page = pages[path]
    if (page === undefined) reply.writeHead(404).end()
    else page(reply, request)
  })
  await listen(server)
  const { port } = server.address() as AddressInfo
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    requested,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

export const sendPage =
  (body: string, title = '台区线损') =>
  (reply: ServerResponse) => {
    reply.writeHead(200, HTML).end(`<!doctype html><title>${title}</title>${body}`)
  }

export const redirectTo = (address: string) => (reply: ServerResponse) => {
  reply.writeHead(302, { location: address }).end()
}

const listen = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
