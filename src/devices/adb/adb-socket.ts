import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { OperationFailure } from './operation-failure.ts'
import { refusal, TransportFailure } from './transport-failure.ts'

export interface ServerAddress {
  readonly host: string
  readonly port: number
}

/** One conversation with an adb server: length-prefixed requests, then whatever the service speaks. */
export class AdbSocket {
  readonly #socket: Socket
  readonly #serial: string | undefined
  #held: Buffer = NOTHING
  #wanted: Wanted | undefined
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

  /** Sends one request and waits for the server's yes. Requests are never sent two at a time. */
  async request(text: string): Promise<void> {
    this.#socket.write(framed(text))
    const word = (await this.read(4)).toString('latin1')
    if (word === 'OKAY') return
    if (word === 'FAIL') throw refusal(await this.readText(), this.#serial)
    throw this.#failure('protocol_error', `adb server answered ${JSON.stringify(word)}`)
  }

  /** From here on an end of the stream means the device is lost rather than the server. */
  async selectDevice(): Promise<void> {
    await this.request(`host:transport:${this.#serial ?? ''}`)
    this.#reachedDevice = true
  }

  async readText(): Promise<string> {
    const length = Number.parseInt((await this.read(4)).toString('latin1'), 16)
    if (Number.isNaN(length)) throw this.#failure('protocol_error', 'adb sent a broken length')
    return (await this.read(length)).toString('utf8')
  }

  read(bytes: number): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      this.#wanted = { bytes, resolve, reject }
      this.#serve()
    })
  }

  /** Hands every further byte to the listener; `end` comes once, after the last byte. */
  listen(listener: StreamListener): void {
    this.#listener = listener
    const held = this.#held
    this.#held = NOTHING
    if (held.length > 0) listener.data(held)
    if (this.#end) listener.end(this.#whyEnded(this.#end))
  }

  write(data: Buffer): void {
    if (!this.#end) this.#socket.write(data)
  }

  /** Ends the conversation from this side, which is no news for the listener. */
  destroy(): void {
    this.#listener = undefined
    this.#socket.destroy()
  }

  #receive(chunk: Buffer): void {
    if (this.#listener) return this.#listener.data(chunk)
    this.#held = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk])
    this.#serve()
  }

  #finish(error?: Error): void {
    if (this.#end) return
    this.#end = { cause: error, reachedDevice: this.#reachedDevice }
    this.#socket.destroy()
    this.#serve()
    this.#listener?.end(this.#whyEnded(this.#end))
  }

  #serve(): void {
    const wanted = this.#wanted
    if (!wanted) return
    if (this.#held.length >= wanted.bytes) {
      this.#wanted = undefined
      const data = this.#held.subarray(0, wanted.bytes)
      this.#held = this.#held.subarray(wanted.bytes)
      wanted.resolve(data)
    } else if (this.#end) {
      this.#wanted = undefined
      wanted.reject(this.#whyEnded(this.#end))
    }
  }

  /** Made only for somebody who still waits: most streams end after everything was said. */
  #whyEnded({ cause, reachedDevice }: StreamEnd): TransportFailure {
    const why = cause ? `: ${cause.message}` : ''
    return reachedDevice
      ? this.#failure('device_lost', `the stream ended before its answer${why}`, cause)
      : this.#failure('server_down', `the adb server is not there${why}`, cause)
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

interface Wanted {
  readonly bytes: number
  readonly resolve: (data: Buffer) => void
  readonly reject: (failure: TransportFailure) => void
}

function framed(text: string): string {
  const bytes = Buffer.byteLength(text)
  if (bytes > 0xffff) {
    throw new OperationFailure('INVALID_ARGUMENT', 'a device command is longer than 65535 bytes')
  }
  return bytes.toString(16).padStart(4, '0') + text
}

const NOTHING = Buffer.alloc(0)
