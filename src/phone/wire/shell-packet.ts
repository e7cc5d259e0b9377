/** Packets of a `shell,v2` stream: one byte for the kind, a little-endian length, the data. */
export const SHELL_PACKET_KIND = {
  stdin: 0,
  stdout: 1,
  stderr: 2,
  exit: 3,
  closeStdin: 4,
  windowSize: 5,
} as const

export const SHELL_PACKET_HEADER_BYTES = 5

/** adb clients send no longer packets. A longer one is invalid. */
export const MAX_SHELL_PACKET_BYTES = 1024 * 1024

export function encodeShellPacket(kind: number, data: Buffer): Buffer {
  const packet = Buffer.allocUnsafe(SHELL_PACKET_HEADER_BYTES + data.length)
  packet.writeUInt8(kind, 0)
  packet.writeUInt32LE(data.length, 1)
  data.copy(packet, SHELL_PACKET_HEADER_BYTES)
  return packet
}
