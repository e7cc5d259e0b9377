/** The packets inside a `shell,v2` stream: one byte of kind, a little-endian length, the data. */
export const shellPacketKind = {
  stdin: 0,
  stdout: 1,
  stderr: 2,
  exit: 3,
  closeStdin: 4,
  windowSize: 5,
} as const

export const shellPacketHeaderBytes = 5

/** Longer packets come from no adb client; a claim of more is noise. */
export const shellPacketMaxBytes = 1024 * 1024

export function encodeShellPacket(kind: number, data: Buffer): Buffer {
  const packet = Buffer.allocUnsafe(shellPacketHeaderBytes + data.length)
  packet.writeUInt8(kind, 0)
  packet.writeUInt32LE(data.length, 1)
  data.copy(packet, shellPacketHeaderBytes)
  return packet
}
