import { ChunkQueue } from './chunk-queue.ts'
import { packetCommand } from './packet.ts'
import type { ServiceStream } from './service-stream.ts'

/** What a stream needs of the connection that carries it. */
export interface StreamCarrier {
  send(command: number, ids: readonly [number, number], payload?: Buffer): void
  /** Says that the peer's last write was consumed. */
  acknowledge(ids: readonly [number, number]): void
  /** The longest payload both sides agreed on. */
  readonly maxPayload: number
  drop(): void
  corrupt(): void
  /** The stream is over and its id may be forgotten. */
  forget(id: number): void
}

/** Given as the reason, because without one every end of a stream would make an error. */
const ended = 'the stream ended'

/** One stream inside an adbd connection; one write in flight in each direction. */
export class AdbdStream implements ServiceStream {
  private readonly carrier: StreamCarrier
  private readonly ids: readonly [own: number, peer: number]
  private readonly controller = new AbortController()
  private readonly unread: ChunkQueue
  private acknowledged: (() => void) | undefined
  accepted = false
  readonly signal = this.controller.signal

  constructor(carrier: StreamCarrier, ids: readonly [own: number, peer: number]) {
    this.carrier = carrier
    this.ids = ids
    // The peer may send its next write only once this one is consumed: a slow reader slows it down.
    this.unread = new ChunkQueue(() => {
      if (!this.signal.aborted) this.carrier.acknowledge(this.ids)
    })
  }

  get peerId(): number {
    return this.ids[1]
  }

  accept(): void {
    this.accepted = true
    this.carrier.send(packetCommand.okay, this.ids)
  }

  refuse(): void {
    if (this.signal.aborted) return
    this.carrier.send(packetCommand.close, [0, this.ids[1]])
    this.over()
  }

  read(): Promise<Buffer | undefined> {
    return this.unread.next()
  }

  async write(chunk: Buffer): Promise<void> {
    const { maxPayload } = this.carrier
    for (let at = 0; at < chunk.length && !this.signal.aborted; at += maxPayload) {
      const okay = new Promise<void>((resolve) => {
        this.acknowledged = resolve
      })
      this.carrier.send(packetCommand.write, this.ids, chunk.subarray(at, at + maxPayload))
      await okay
    }
  }

  /** May directly follow the last write: the peer keeps what it received. */
  close(): void {
    if (this.signal.aborted) return
    this.carrier.send(packetCommand.close, this.ids)
    this.over()
  }

  drop(): void {
    this.carrier.drop()
  }

  corrupt(): void {
    this.carrier.corrupt()
  }

  /** The peer sent data. A second write before our answer breaks the protocol and ends the stream. */
  received(data: Buffer): void {
    if (!this.accepted || this.unread.bytes > 0) {
      this.close()
      return
    }
    if (data.length === 0) this.carrier.acknowledge(this.ids)
    else this.unread.push(data)
  }

  /** The peer consumed our last write. */
  okayed(): void {
    this.acknowledged?.()
    this.acknowledged = undefined
  }

  /** The peer closed the stream, or the connection is gone. */
  over(): void {
    if (this.signal.aborted) return
    this.controller.abort(ended)
    this.unread.end()
    this.okayed()
    this.carrier.forget(this.ids[0])
  }
}
