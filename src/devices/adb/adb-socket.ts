import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { OperationFailure } from './operation-failure.ts'
import { toTransportFailure, TransportFailure } from './transport-failure.ts'

export interface ServerAddress {
  readonly host: string
  readonly port: number
}

/** One connection to an adb server: length-prefixed requests, then the protocol of the service. */
export class AdbSocket {
  readonly #socket: Socket
  readonly #serial: string | undefined
  #buffered: Buffer = EMPTY
  #pendingRead: PendingRead | undefined
  #end: StreamEnd | undefined
  #listener: StreamListener | undefined
  #reachedDevice = false

  private constructor(socket: Socket, serial: string | undefined) {
    this.#socket = socket
    this.#serial = serial
    socket.setNoDelay(true)
    socket.on('data', (chunk: Buffer) => this.#receive(chunk))
    socket.on('error', (error) => this.#finish(error))
    socket.on('end', () => this.#finish())
    socket.on('close', () => this.#finish())
  }

  static open(address: ServerAddress, serial: string | undefined): AdbSocket {
    return new AdbSocket(connect({ host: address.host, port: address.port }), serial)
  }

  /** Sends one request and waits for `OKAY`. Requests must not overlap. */
  async request(text: string): Promise<void> {
    this.#socket.write(frameRequest(text))
    const status = (await this.read(4)).toString('latin1')
    if (status === 'OKAY') return
    if (status === 'FAIL') throw toTransportFailure(await this.readText(), this.#serial)
    throw this.#failure('protocol_error', `adb server answered ${JSON.stringify(status)}`)
  }

  /** From here on, an end of the stream means that the device is lost, not the server. */
  async selectDevice(): Promise<void> {
    await this.request(`host:transport:${this.#serial ?? ''}`)
    this.#reachedDevice = true
  }

  async readText(): Promise<string> {
    const length = Number.parseInt((await this.read(4)).toString('latin1'), 16)
    if (Number.isNaN(length)) throw this.#failure('protocol_error', 'adb sent an invalid length')
    return (await this.read(length)).toString('utf8')
  }

  read(bytes: number): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      this.#pendingRead = { bytes, resolve, reject }
      this.#completeRead()
    })
  }

  /** Passes all further bytes to the listener. `end` is called once, after the last byte. */
  listen(listener: StreamListener): void {
    this.#listener = listener
    const buffered = this.#buffered
    this.#buffered = EMPTY
    if (buffered.length > 0) listener.data(buffered)
    if (this.#end) listener.end(this.#toEndFailure(this.#end))
  }

  write(data: Buffer): void {
    if (!this.#end) this.#socket.write(data)
  }

  /** Closes the connection without notifying the listener. */
  destroy(): void {
    this.#listener = undefined
    this.#socket.destroy()
  }

  #receive(chunk: Buffer): void {
    if (this.#listener) return this.#listener.data(chunk)
    this.#buffered = this.#buffered.length === 0 ? chunk : Buffer.concat([this.#buffered, chunk])
    this.#completeRead()
  }

  #finish(error?: Error): void {
    if (this.#end) return
    this.#end = { cause: error, reachedDevice: this.#reachedDevice }
    this.#socket.destroy()
    this.#completeRead()
    this.#listener?.end(this.#toEndFailure(this.#end))
  }

  #completeRead(): void {
    const pending = this.#pendingRead
    if (!pending) return
    if (this.#buffered.length >= pending.bytes) {
      this.#pendingRead = undefined
      const data = this.#buffered.subarray(0, pending.bytes)
      this.#buffered = this.#buffered.subarray(pending.bytes)
      pending.resolve(data)
    } else if (this.#end) {
      this.#pendingRead = undefined
      pending.reject(this.#toEndFailure(this.#end))
    }
  }

  /** Created only if a read is pending: most streams end after a complete answer. */
  #toEndFailure({ cause, reachedDevice }: StreamEnd): TransportFailure {
    const detail = cause ? `: ${cause.message}` : ''
    return reachedDevice
      ? this.#failure('device_lost', `the stream ended before its answer${detail}`, cause)
      : this.#failure('server_down', `the adb server is not reachable${detail}`, cause)
  }

  #failure(kind: TransportFailure['kind'], message: string, cause?: unknown): TransportFailure {
    return new TransportFailure(kind, message, { serial: this.#serial, cause })
  }
}

export interface StreamListener {
  data(chunk: Buffer): void
  end(failure: TransportFailure): void
}

interface StreamEnd {
  readonly cause: Error | undefined
  readonly reachedDevice: boolean
}

interface PendingRead {
  readonly bytes: number
  readonly resolve: (data: Buffer) => void
  readonly reject: (failure: TransportFailure) => void
}

function frameRequest(text: string): string {
  const bytes = Buffer.byteLength(text)
  if (bytes > 0xffff) {
    throw new OperationFailure('INVALID_ARGUMENT', 'a device command is longer than 65535 bytes')
  }
  return bytes.toString(16).padStart(4, '0') + text
}

const EMPTY = Buffer.alloc(0)
