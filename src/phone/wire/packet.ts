/** One message between an adb server and a phone: a header of six numbers, then the payload. */
export interface Packet {
  readonly command: number
  readonly arg0: number
  readonly arg1: number
  readonly payload: Buffer
  /** As received. Only old protocol versions verify it. */
  readonly checksum: number
}

/** The four letters of each command as a little-endian number. */
export const PACKET_COMMAND = {
  connect: 0x4e584e43,
  auth: 0x48545541,
  open: 0x4e45504f,
  okay: 0x59414b4f,
  close: 0x45534c43,
  write: 0x45545257,
} as const

const PACKET_HEADER_BYTES = 24

/** The largest payload that a side may announce. */
export const MAX_PAYLOAD_BYTES = 1024 * 1024

/** From this version on, checksums are not verified. */
export const VERSION_WITHOUT_CHECKSUM = 0x01000001

export function computeChecksum(payload: Buffer): number {
  let sum = 0
  for (let at = 0; at < payload.length; at += 1) sum += payload[at] ?? 0
  return sum >>> 0
}

export function encodePacket(packet: Omit<Packet, 'checksum'>): Buffer {
  const { command, arg0, arg1, payload } = packet
  const bytes = Buffer.allocUnsafe(PACKET_HEADER_BYTES + payload.length)
  const magic = (command ^ 0xffffffff) >>> 0
  bytes.writeUInt32LE(command, 0)
  bytes.writeUInt32LE(arg0, 4)
  bytes.writeUInt32LE(arg1, 8)
  bytes.writeUInt32LE(payload.length, 12)
  bytes.writeUInt32LE(computeChecksum(payload), 16)
  bytes.writeUInt32LE(magic, 20)
  payload.copy(bytes, PACKET_HEADER_BYTES)
  return bytes
}

/** A packet with an invalid header. The receiver must close the connection. */
export function createBrokenPacket(): Buffer {
  return Buffer.alloc(PACKET_HEADER_BYTES, 0xa5)
}

/** The received bytes are not a packet, or the payload is too long. */
export class PacketError extends Error {}

/** Decodes the packets of a byte stream that arrives in chunks. */
export class PacketDecoder {
  private chunks: Buffer[] = []
  private bufferedBytes = 0
  private neededBytes = PACKET_HEADER_BYTES

  /** Yields the packets completed by this chunk; read them all. Throws PacketError on invalid bytes. */
  push(chunk: Buffer): Iterable<Packet> {
    this.chunks.push(chunk)
    this.bufferedBytes += chunk.length
    return this.takePackets()
  }

  private *takePackets(): Generator<Packet> {
    while (this.bufferedBytes >= this.neededBytes) {
      const packet = this.takePacket()
      if (packet !== undefined) yield packet
    }
  }

  private takePacket(): Packet | undefined {
    const bytes = this.chunks.length === 1 && this.chunks[0] ? this.chunks[0] : Buffer.concat(this.chunks)
    this.chunks = [bytes]
    const packetBytes = PACKET_HEADER_BYTES + readPayloadLength(bytes)
    this.neededBytes = packetBytes
    if (bytes.length < packetBytes) return undefined
    const rest = bytes.subarray(packetBytes)
    this.chunks = rest.length > 0 ? [rest] : []
    this.bufferedBytes = rest.length
    this.neededBytes = PACKET_HEADER_BYTES
    return {
      command: bytes.readUInt32LE(0),
      arg0: bytes.readUInt32LE(4),
      arg1: bytes.readUInt32LE(8),
      checksum: bytes.readUInt32LE(16),
      payload: bytes.subarray(PACKET_HEADER_BYTES, packetBytes),
    }
  }
}

function readPayloadLength(header: Buffer): number {
  const magic = (header.readUInt32LE(0) ^ 0xffffffff) >>> 0
  if (header.readUInt32LE(20) !== magic) throw new PacketError('the packet header is invalid')
  const length = header.readUInt32LE(12)
  if (length > MAX_PAYLOAD_BYTES) throw new PacketError(`a payload of ${length} bytes is too long`)
  return length
}
