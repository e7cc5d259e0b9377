import type { Transport } from '@apprentice/contracts/connectors/values.ts'
import ipaddr from 'ipaddr.js'

const LOOPBACK_NAMES = new Set(['localhost', '127.0.0.1', '[::1]'])

export interface EndpointRequest {
  readonly transport: Transport
  readonly endpoint_url: string | undefined
}

/**
 * Says why an address is not allowed for a server, or `undefined`. `allowedHosts` are hosts that an administrator allows
 * although they are in a private network.
 */
export function findEndpointFault(
  { transport, endpoint_url }: EndpointRequest,
  allowedHosts: readonly string[],
): string | undefined {
  if (transport === 'provider_native') {
    return endpoint_url === undefined ? undefined : 'endpoint_url: a server of the provider has no address'
  }
  if (endpoint_url === undefined) {
    return transport === 'remote_http' ? 'endpoint_url: a remote server needs an address' : undefined
  }
  const url = new URL(endpoint_url)
  if (url.username !== '' || url.password !== '') return 'endpoint_url: it must not contain a user name or a password'
  if (isLoopbackName(url.hostname)) {
    return ['http:', 'https:'].includes(url.protocol)
      ? undefined
      : 'endpoint_url: it must begin with https:// or http://'
  }
  if (transport === 'local_bridge') return 'endpoint_url: a local bridge must be on this machine'
  if (url.protocol !== 'https:') return 'endpoint_url: it must begin with https://'
  if (allowedHosts.includes(url.hostname)) return undefined
  return isAddress(url.hostname) && !isPublicAddress(url.hostname)
    ? 'endpoint_url: addresses of private networks are not allowed'
    : undefined
}

/** Whether a name means this machine without asking a name server. */
export const isLoopbackName = (hostname: string): boolean => LOOPBACK_NAMES.has(hostname)

/**
 * Whether a server may be reached at an address that a name server returned. A name of the internet must not lead into a
 * private network or to this machine.
 */
export function isAddressAllowed(hostname: string, address: string, allowedHosts: readonly string[]): boolean {
  if (isLoopbackName(hostname)) return parseAddress(address).range() === 'loopback'
  return allowedHosts.includes(hostname) || isPublicAddress(address)
}

const isAddress = (hostname: string): boolean => ipaddr.isValid(stripBrackets(hostname))

const isPublicAddress = (address: string): boolean => parseAddress(stripBrackets(address)).range() === 'unicast'

/** An IPv4 address in an IPv6 address is judged as IPv4. */
function parseAddress(address: string): ipaddr.IPv4 | ipaddr.IPv6 {
  return ipaddr.process(address)
}

const stripBrackets = (hostname: string): string => hostname.replace(/^\[/, '').replace(/\]$/, '')
