import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, isIP, type Socket } from 'node:net'
import { isUsableAddress, parseAuthority, parseServer, type Server } from './allowed-targets.ts'

export interface RequestGate {
  /** The address of the proxy for the browser. */
  readonly proxy: string
  close(): void
}

export interface GateRules {
  isAllowed(server: Server): boolean
  onBlocked(server: string): void
  /** Resolves a name to an address. Default: the resolver of the system. */
  readonly resolve?: (name: string) => Promise<string>
}

const FORBIDDEN = 403
const BAD_GATEWAY = 502
const HOP_HEADERS = ['proxy-connection', 'proxy-authorization', 'connection', 'keep-alive', 'te', 'trailer', 'upgrade']

/**
 * A proxy for one run of a scene. Every request of its pages goes through it, also those of workers, beacons, redirects and
 * WebSockets, and it connects to allowed servers only. It resolves each name once, so that a name that later resolves to
 * another address cannot lead the run elsewhere.
 */
export async function openRequestGate(rules: GateRules): Promise<RequestGate> {
  const addresses = new AddressBook(rules.resolve ?? resolveName)
  const agent = new Agent({ keepAlive: true })
  const sockets = new Set<Socket>()
  const server = createServer((incoming, reply) => void forward({ rules, addresses, agent }, incoming, reply))
  server.on('connect', (incoming: IncomingMessage, socket: Socket) => {
    void openTunnel({ rules, addresses, sockets }, incoming, socket)
  })
  server.on('connection', (socket) => keep(sockets, socket))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    proxy: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.close()
      agent.destroy()
      for (const socket of sockets) socket.destroy()
    },
  }
}

interface ForwardParts {
  readonly rules: GateRules
  readonly addresses: AddressBook
  readonly agent: Agent
}

async function forward(
  { rules, addresses, agent }: ForwardParts,
  incoming: IncomingMessage,
  reply: ServerResponse,
): Promise<void> {
  const url = parseUrl(incoming.url ?? '')
  if (url === undefined || url.protocol !== 'http:') return refuse(reply, FORBIDDEN)
  const server = parseServer(url)
  if (!rules.isAllowed(server)) {
    rules.onBlocked(`${server.host}:${server.port}`)
    return refuse(reply, FORBIDDEN)
  }
  const host = await addresses.find(server.host)
  if (host === undefined) {
    rules.onBlocked(`${server.host}:${server.port}`)
    return refuse(reply, FORBIDDEN)
  }
  const headers = Object.fromEntries(Object.entries(incoming.headers).filter(([name]) => !HOP_HEADERS.includes(name)))
  const path = `${url.pathname}${url.search}`
  const outgoing = request({ host, port: server.port, method: incoming.method, path, headers, agent, setHost: false })
  outgoing.on('response', (response) => {
    const kept = Object.entries(response.headers).filter(([name]) => !HOP_HEADERS.includes(name))
    reply.writeHead(response.statusCode ?? BAD_GATEWAY, Object.fromEntries(kept))
    response.on('error', () => reply.destroy()).pipe(reply)
  })
  outgoing.on('error', () => (reply.headersSent ? reply.destroy() : refuse(reply, BAD_GATEWAY)))
  reply.on('close', () => outgoing.destroy())
  incoming.on('error', () => outgoing.destroy()).pipe(outgoing)
}

interface TunnelParts {
  readonly rules: GateRules
  readonly addresses: AddressBook
  readonly sockets: Set<Socket>
}

/** For HTTPS and WebSockets, which the gate cannot read. */
async function openTunnel(
  { rules, addresses, sockets }: TunnelParts,
  { url = '' }: IncomingMessage,
  socket: Socket,
): Promise<void> {
  socket.on('error', () => socket.destroy())
  const server = parseAuthority(url)
  const host = server !== undefined && rules.isAllowed(server) ? await addresses.find(server.host) : undefined
  if (server === undefined || host === undefined) {
    rules.onBlocked(url.slice(0, MAX_AUTHORITY))
    socket.end('HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n')
    return
  }
  const upstream = connect(server.port, host)
  keep(sockets, upstream)
  upstream.on('connect', () => {
    socket.write('HTTP/1.1 200 Connection Established\r\n\r\n')
    upstream.pipe(socket)
    socket.pipe(upstream)
  })
  upstream.on('error', () => socket.destroy())
  upstream.on('close', () => socket.destroy())
  socket.on('close', () => upstream.destroy())
}

const MAX_AUTHORITY = 300

/** The addresses of names, each resolved once. Undefined for a name that leads where it must not. */
class AddressBook {
  readonly #resolve: (name: string) => Promise<string>
  readonly #known = new Map<string, Promise<string | undefined>>()

  constructor(resolve: (name: string) => Promise<string>) {
    this.#resolve = resolve
  }

  find(host: string): Promise<string | undefined> {
    if (isIP(host) !== 0) return Promise.resolve(isUsableAddress(host, host) ? host : undefined)
    const found = this.#known.get(host) ?? this.#lookUp(host)
    this.#known.set(host, found)
    return found
  }

  async #lookUp(name: string): Promise<string | undefined> {
    const address = await this.#resolve(name).catch(() => undefined)
    return address !== undefined && isUsableAddress(address, name) ? address : undefined
  }
}

const resolveName = async (name: string): Promise<string> => (await lookup(name)).address

function keep(sockets: Set<Socket>, socket: Socket): void {
  sockets.add(socket)
  socket.on('close', () => sockets.delete(socket))
}

function refuse(reply: ServerResponse, status: number): void {
  reply.writeHead(status, { 'content-type': 'text/plain', 'cache-control': 'no-store' }).end()
}

const parseUrl = (text: string): URL | undefined => (URL.canParse(text) ? new URL(text) : undefined)
