/** One message between an adb server and a phone: a header of six numbers, then the payload. */
export interface Packet {
  readonly command: number
  readonly arg0: number
  readonly arg1: number
  readonly payload: Buffer
  /** As received; only older protocol versions give it a meaning. */
  readonly checksum: number
}

/** The four letters of each command, read as a little-endian number. */
export const packetCommand = {
  connect: 0x4e584e43,
  auth: 0x48545541,
  open: 0x4e45504f,
  okay: 0x59414b4f,
  close: 0x45534c43,
  write: 0x45545257,
} as const

const packetHeaderBytes = 24

/** The largest payload either side of this protocol may announce. */
export const payloadMaxBytes = 1024 * 1024

/** From this version on nobody looks at checksums. */
export const versionWithoutChecksum = 0x01000001

export function checksumOf(payload: Buffer): number {
  let sum = 0
  for (let at = 0; at < payload.length; at += 1) sum += payload[at] ?? 0
  return sum >>> 0
}

export function encodePacket(packet: Omit<Packet, 'checksum'>): Buffer {
  const { command, arg0, arg1, payload } = packet
  const bytes = Buffer.allocUnsafe(packetHeaderBytes + payload.length)
  const magic = (command ^ 0xffffffff) >>> 0
  bytes.writeUInt32LE(command, 0)
  bytes.writeUInt32LE(arg0, 4)
  bytes.writeUInt32LE(arg1, 8)
  bytes.writeUInt32LE(payload.length, 12)
  bytes.writeUInt32LE(checksumOf(payload), 16)
  bytes.writeUInt32LE(magic, 20)
  payload.copy(bytes, packetHeaderBytes)
  return bytes
}

/** A header that no command matches: the receiver must give the connection up. */
export function brokenPacket(): Buffer {
  return Buffer.alloc(packetHeaderBytes, 0xa5)
}

/** The bytes received are not this protocol, or a payload is longer than agreed. */
export class PacketError extends Error {}

/** Finds the packets in a byte stream, however it was cut. */
export class PacketDecoder {
  private held: Buffer[] = []
  private heldBytes = 0
  private neededBytes = packetHeaderBytes

  /** The packets that are complete with this chunk, to be read to the end. Throws on noise. */
  push(chunk: Buffer): Iterable<Packet> {
    this.held.push(chunk)
    this.heldBytes += chunk.length
    return this.complete()
  }

  private *complete(): Generator<Packet> {
    while (this.heldBytes >= this.neededBytes) {
      const packet = this.takeOne()
      if (packet !== undefined) yield packet
    }
  }

  private takeOne(): Packet | undefined {
    const bytes = this.held.length === 1 && this.held[0] ? this.held[0] : Buffer.concat(this.held)
    this.held = [bytes]
    const packetBytes = packetHeaderBytes + payloadLength(bytes)
    this.neededBytes = packetBytes
    if (bytes.length < packetBytes) return undefined
    const rest = bytes.subarray(packetBytes)
    this.held = rest.length > 0 ? [rest] : []
    this.heldBytes = rest.length
    this.neededBytes = packetHeaderBytes
    return {
      command: bytes.readUInt32LE(0),
      arg0: bytes.readUInt32LE(4),
      arg1: bytes.readUInt32LE(8),
      checksum: bytes.readUInt32LE(16),
      payload: bytes.subarray(packetHeaderBytes, packetBytes),
    }
  }
}

function payloadLength(header: Buffer): number {
  const magic = (header.readUInt32LE(0) ^ 0xffffffff) >>> 0
  if (header.readUInt32LE(20) !== magic) throw new PacketError('the packet header is broken')
  const length = header.readUInt32LE(12)
  if (length > payloadMaxBytes) throw new PacketError(`a payload of ${length} bytes is too long`)
  return length
}
