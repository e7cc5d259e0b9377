import { TransportFailure } from '../adb/transport-failure.ts'

/** Packets inside a shell_v2 stream: one byte of id, four of little-endian length, then data. */
export const SHELL_PACKET = { stdin: 0, stdout: 1, stderr: 2, exit: 3, closeStdin: 4 } as const

const HEADER_BYTES = 5
const EMPTY = Buffer.alloc(0)

export interface ShellPacketSink {
  stdout(data: Buffer): void
  stderr(data: Buffer): void
  exit(code: number): void
}

export function encodeShellPacket(id: number, data: Buffer = EMPTY): Buffer {
  const packet = Buffer.allocUnsafe(HEADER_BYTES + data.length)
  packet.writeUInt8(id, 0)
  packet.writeUInt32LE(data.length, 1)
  data.copy(packet, HEADER_BYTES)
  return packet
}

/** Concatenates chunks. A single chunk is returned without a copy. */
export function concatChunks(chunks: readonly Buffer[]): Buffer {
  const [only = EMPTY] = chunks
  return chunks.length > 1 ? Buffer.concat(chunks) : only
}

/** Decodes packets, which may span several chunks. Output is passed on as it arrives. */
export class ShellV2Decoder {
  readonly #sink: ShellPacketSink
  /** The first bytes of an incomplete header. */
  #header: Buffer | undefined
  #id = 0
  #remaining = 0

  constructor(sink: ShellPacketSink) {
    this.#sink = sink
  }

  push(chunk: Buffer): void {
    const bytes = this.#header ? Buffer.concat([this.#header, chunk]) : chunk
    this.#header = undefined
    let at = 0
    while (at < bytes.length) {
      if (this.#remaining > 0) {
        const end = Math.min(at + this.#remaining, bytes.length)
        this.#body(bytes.subarray(at, end))
        at = end
      } else if (bytes.length - at < HEADER_BYTES) {
        this.#header = bytes.subarray(at)
        return
      } else {
        this.#head(bytes, at)
        at += HEADER_BYTES
      }
    }
  }

  #head(bytes: Buffer, at: number): void {
    this.#id = bytes.readUInt8(at)
    this.#remaining = bytes.readUInt32LE(at + 1)
    if (this.#id > LAST_ID || this.#remaining > MAX_PACKET_BYTES) {
      throw new TransportFailure('protocol_error', 'the device sent an invalid shell packet')
    }
  }

  #body(data: Buffer): void {
    this.#remaining -= data.length
    if (this.#id === SHELL_PACKET.stdout) this.#sink.stdout(data)
    else if (this.#id === SHELL_PACKET.stderr) this.#sink.stderr(data)
    else if (this.#id === SHELL_PACKET.exit) this.#sink.exit(data.readUInt8(0))
  }
}

const LAST_ID = 5
/** The payload limit of adb is 1 MiB. A much larger length means that the header is invalid. */
const MAX_PACKET_BYTES = 16 * 1024 * 1024
