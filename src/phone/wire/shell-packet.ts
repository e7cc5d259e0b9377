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
  const header = Buffer.alloc(shellPacketHeaderBytes)
  header.writeUInt8(kind, 0)
  header.writeUInt32LE(data.length, 1)
  return Buffer.concat([header, data])
}
