import { TransportFailure } from './transport-failure.ts'

/** Packets inside a shell_v2 stream: one byte of id, four of little-endian length, then data. */
export const SHELL_PACKET = { stdin: 0, stdout: 1, stderr: 2, exit: 3, closeStdin: 4 } as const

export interface ShellPacketSink {
  stdout(data: Buffer): void
  stderr(data: Buffer): void
  exit(code: number): void
}

export function encodeShellPacket(id: number, data: Buffer = Buffer.alloc(0)): Buffer {
  const header = Buffer.alloc(HEADER_BYTES)
  header.writeUInt8(id, 0)
  header.writeUInt32LE(data.length, 1)
  return Buffer.concat([header, data])
}

/** Packets span chunks and chunks hold several packets; output is passed on as it arrives. */
export class ShellV2Decoder {
  readonly #sink: ShellPacketSink
  #header: Buffer = Buffer.alloc(0)
  #id = 0
  #left = 0

  constructor(sink: ShellPacketSink) {
    this.#sink = sink
  }

  push(chunk: Buffer): void {
    let rest = chunk
    while (rest.length > 0) rest = this.#left > 0 ? this.#body(rest) : this.#head(rest)
  }

  #head(chunk: Buffer): Buffer {
    const missing = HEADER_BYTES - this.#header.length
    this.#header = Buffer.concat([this.#header, chunk.subarray(0, missing)])
    if (this.#header.length === HEADER_BYTES) {
      this.#id = this.#header.readUInt8(0)
      this.#left = this.#header.readUInt32LE(1)
      this.#header = Buffer.alloc(0)
      if (this.#id > LAST_ID || this.#left > MAX_PACKET_BYTES) {
        throw new TransportFailure('protocol_error', 'the device sent a broken shell packet')
      }
    }
    return chunk.subarray(missing)
  }

  #body(chunk: Buffer): Buffer {
    const data = chunk.subarray(0, this.#left)
    this.#left -= data.length
    if (this.#id === SHELL_PACKET.stdout) this.#sink.stdout(data)
    else if (this.#id === SHELL_PACKET.stderr) this.#sink.stderr(data)
    else if (this.#id === SHELL_PACKET.exit) this.#sink.exit(data.readUInt8(0))
    return chunk.subarray(data.length)
  }
}

const HEADER_BYTES = 5
const LAST_ID = 5
/** adb's own payload limit is 1 MiB; a larger claim is noise read as a header. */
const MAX_PACKET_BYTES = 16 * 1024 * 1024
