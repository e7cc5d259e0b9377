import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Which servers a run may use. */
export interface AllowedTargets {
  readonly target_url: string
  /** More servers, each as `host` or `host:port`. */
  readonly allowed_domains: readonly string[]
}

export interface Server {
  readonly host: string
  readonly port: number
}

interface Rule {
  readonly host: string
  readonly ports: readonly number[]
}

const HTTP_PORT = 80
const HTTPS_PORT = 443
const MAX_PORT = 65_535

/**
 * The server of the target page is allowed with its port only. A further host without a port is allowed with the ports
 * of HTTP and HTTPS and the port of the target page.
 */
export function createTargetFilter({ target_url, allowed_domains }: AllowedTargets): (server: Server) => boolean {
  const own = parseServer(new URL(target_url))
  const rules: Rule[] = [
    { host: own.host, ports: [own.port] },
    ...allowed_domains.map((entry) => parseRule(entry, own.port)),
  ]
  return ({ host, port }) => rules.some((rule) => rule.host === normalizeHost(host) && rule.ports.includes(port))
}

export function parseServer(url: URL): Server {
  const port = url.port === '' ? (['https:', 'wss:'].includes(url.protocol) ? HTTPS_PORT : HTTP_PORT) : Number(url.port)
  return { host: normalizeHost(url.hostname), port }
}

/** Reads `host:port`, as in a CONNECT request. */
export function parseAuthority(authority: string): Server | undefined {
  const [, host = '', port = ''] = /^(\[[0-9A-Fa-f:.]+\]|[^:]+):(\d{1,5})$/.exec(authority) ?? []
  return host === '' || Number(port) > MAX_PORT ? undefined : { host: normalizeHost(host), port: Number(port) }
}

/** Lower case, without the brackets of an address and the dot at the end of a name. */
export const normalizeHost = (host: string): string =>
  host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '')

/**
 * Whether a connection to an address that a name resolved to is allowed. A name must not lead to this computer, unless it is
 * a name or an address of this computer, and nothing leads to the link, where clouds keep the secrets of their machines.
 * Addresses of private networks are allowed, because business systems have them.
 */
export function isUsableAddress(address: string, name: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const range = ipaddr.process(address).range()
  if (range === 'loopback') return name === 'localhost' || name.endsWith('.localhost') || isIP(name) !== 0
  return !['linkLocal', 'unspecified', 'multicast', 'broadcast', 'reserved'].includes(range)
}

function parseRule(entry: string, targetPort: number): Rule {
  const server = parseAuthority(entry)
  return server === undefined
    ? { host: normalizeHost(entry), ports: [HTTP_PORT, HTTPS_PORT, targetPort] }
    : { host: server.host, ports: [server.port] }
}
