import { ChunkQueue } from './chunk-queue.ts'
import { PACKET_COMMAND } from './packet.ts'
import type { ServiceStream } from './service-stream.ts'

/** The part of the connection that a stream uses. */
export interface StreamConnection {
  send(command: number, ids: readonly [number, number], payload?: Buffer): void
  /** Acknowledges the peer's last write. */
  acknowledge(ids: readonly [number, number]): void
  /** The maximum payload in bytes that both sides accept. */
  readonly maxPayload: number
  drop(): void
  corrupt(): void
  /** Removes a closed stream. */
  removeStream(id: number): void
}

/** Abort reason. Without a reason, each abort would create an Error object. */
const STREAM_ENDED = 'the stream ended'

/** One stream of an adbd connection. Each direction has at most one unacknowledged write. */
export class AdbdStream implements ServiceStream {
  private readonly connection: StreamConnection
  private ids: readonly [own: number, peer: number]
  private readonly controller = new AbortController()
  private readonly unread: ChunkQueue
  private acknowledged: (() => void) | undefined
  accepted = false
  readonly signal = this.controller.signal

  constructor(connection: StreamConnection, ids: readonly [own: number, peer: number]) {
    this.connection = connection
    this.ids = ids
    // A write is acknowledged when it is consumed, so a slow reader slows the peer down.
    this.unread = new ChunkQueue(() => {
      if (!this.signal.aborted) this.connection.acknowledge(this.ids)
    })
  }

  get peerId(): number {
    return this.ids[1]
  }

  accept(): void {
    this.accepted = true
    this.connection.send(PACKET_COMMAND.okay, this.ids)
  }

  /** Asks the peer for a service. Resolves with false if it refuses. */
  async request(name: string): Promise<boolean> {
    const answered = new Promise<void>((resolve) => {
      this.acknowledged = resolve
    })
    this.connection.send(PACKET_COMMAND.open, [this.ids[0], 0], Buffer.from(`${name}\0`))
    await answered
    return this.accepted && !this.signal.aborted
  }

  refuse(): void {
    if (this.signal.aborted) return
    this.connection.send(PACKET_COMMAND.close, [0, this.ids[1]])
    this.end()
  }

  read(): Promise<Buffer | undefined> {
    return this.unread.next()
  }

  async write(chunk: Buffer): Promise<void> {
    const { maxPayload } = this.connection
    for (let at = 0; at < chunk.length && !this.signal.aborted; at += maxPayload) {
      const okay = new Promise<void>((resolve) => {
        this.acknowledged = resolve
      })
      this.connection.send(PACKET_COMMAND.write, this.ids, chunk.subarray(at, at + maxPayload))
      await okay
    }
  }

  /** Closes the stream. The peer keeps the data that it received. */
  close(): void {
    if (this.signal.aborted) return
    this.connection.send(PACKET_COMMAND.close, this.ids)
    this.end()
  }

  drop(): void {
    this.connection.drop()
  }

  corrupt(): void {
    this.connection.corrupt()
  }

  /** Handles data from the peer. A write before the acknowledgement of the last one closes the stream. */
  handleWrite(data: Buffer): void {
    if (!this.accepted || this.unread.bytes > 0) {
      this.close()
      return
    }
    if (data.length === 0) this.connection.acknowledge(this.ids)
    else this.unread.push(data)
  }

  /** Handles the acknowledgement of our last write, or of our request for this stream. */
  handleOkay(peerId = 0): void {
    if (this.ids[1] === 0) {
      this.ids = [this.ids[0], peerId]
      this.accepted = true
    }
    this.acknowledged?.()
    this.acknowledged = undefined
  }

  /** Ends the stream without sending anything. */
  end(): void {
    if (this.signal.aborted) return
    this.controller.abort(STREAM_ENDED)
    this.unread.end()
    this.acknowledged?.()
    this.acknowledged = undefined
    this.connection.removeStream(this.ids[0])
  }
}
