const SEPARATOR = '::'

/** The serial of a device of a host, as the daemon and its users know it. */
export const formatFullSerial = (host: string, serial: string): string => `${host}${SEPARATOR}${serial}`

/** Undefined for a device of the daemon's own adb server. */
export function parseFullSerial(full: string): { readonly host: string; readonly serial: string } | undefined {
  const at = full.indexOf(SEPARATOR)
  // An address of IPv6 begins with a bracket.
  if (at <= 0 || !/^[a-z]/.test(full)) return undefined
  return { host: full.slice(0, at), serial: full.slice(at + SEPARATOR.length) }
}
