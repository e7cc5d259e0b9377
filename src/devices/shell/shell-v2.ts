import { TransportFailure } from '../adb/transport-failure.ts'

/** Packets inside a shell_v2 stream: one byte of id, four of little-endian length, then data. */
export const SHELL_PACKET = { stdin: 0, stdout: 1, stderr: 2, exit: 3, closeStdin: 4 } as const

const HEADER_BYTES = 5
const NOTHING = Buffer.alloc(0)

export interface ShellPacketSink {
  stdout(data: Buffer): void
  stderr(data: Buffer): void
  exit(code: number): void
}

export function encodeShellPacket(id: number, data: Buffer = NOTHING): Buffer {
  const packet = Buffer.allocUnsafe(HEADER_BYTES + data.length)
  packet.writeUInt8(id, 0)
  packet.writeUInt32LE(data.length, 1)
  data.copy(packet, HEADER_BYTES)
  return packet
}

/** The pieces of one output in a row; most have one piece, which needs no copy. */
export function whole(pieces: readonly Buffer[]): Buffer {
  const [only = NOTHING] = pieces
  return pieces.length > 1 ? Buffer.concat(pieces) : only
}

/** Packets span chunks and chunks hold several packets; output is passed on as it arrives. */
export class ShellV2Decoder {
  readonly #sink: ShellPacketSink
  /** The beginning of a header that was cut. */
  #header: Buffer | undefined
  #id = 0
  #left = 0

  constructor(sink: ShellPacketSink) {
    this.#sink = sink
  }

  push(chunk: Buffer): void {
    const bytes = this.#header ? Buffer.concat([this.#header, chunk]) : chunk
    this.#header = undefined
    let at = 0
    while (at < bytes.length) {
      if (this.#left > 0) {
        const end = Math.min(at + this.#left, bytes.length)
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
    this.#left = bytes.readUInt32LE(at + 1)
    if (this.#id > LAST_ID || this.#left > MAX_PACKET_BYTES) {
      throw new TransportFailure('protocol_error', 'the device sent a broken shell packet')
    }
  }

  #body(data: Buffer): void {
    this.#left -= data.length
    if (this.#id === SHELL_PACKET.stdout) this.#sink.stdout(data)
    else if (this.#id === SHELL_PACKET.stderr) this.#sink.stderr(data)
    else if (this.#id === SHELL_PACKET.exit) this.#sink.exit(data.readUInt8(0))
  }
}

const LAST_ID = 5
/** adb's own payload limit is 1 MiB; a larger claim is noise read as a header. */
const MAX_PACKET_BYTES = 16 * 1024 * 1024
