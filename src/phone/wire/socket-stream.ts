import type { Socket } from 'node:net'
import { ChunkQueue } from './chunk-queue.ts'

const MAX_UNREAD_BYTES = 64 * 1024
const LINGER_MS = 1000

/** A client's socket with backpressure in both directions. */
export class SocketStream {
  private readonly socket: Socket
  private readonly controller = new AbortController()
  private readonly unread: ChunkQueue
  readonly signal = this.controller.signal

  constructor(socket: Socket) {
    this.socket = socket
    this.unread = new ChunkQueue(() => {
      if (this.unread.bytes < MAX_UNREAD_BYTES) socket.resume()
    })
    socket.setNoDelay(true)
    socket.on('data', (chunk: Buffer) => this.receive(chunk))
    socket.on('end', () => this.finish())
    socket.on('close', () => this.finish())
    socket.on('error', () => this.finish())
  }

  read(): Promise<Buffer | undefined> {
    return this.unread.next()
  }

  discardUnread(): void {
    this.unread.discard()
  }

  async write(chunk: Buffer): Promise<void> {
    if (this.signal.aborted || this.socket.write(chunk)) return
    await new Promise<void>((resolve) => {
      const done = () => {
        this.socket.off('drain', done)
        this.signal.removeEventListener('abort', done)
        resolve()
      }
      this.socket.on('drain', done)
      this.signal.addEventListener('abort', done)
    })
  }

  /**
   * Ends the socket after the pending writes. Keeps reading for a moment, because closing a socket
   * with unread bytes resets the connection and can lose the last answer.
   */
  close(): void {
    if (this.signal.aborted) return
    this.finish()
    this.socket.end(() => this.linger())
    this.socket.resume()
  }

  private linger(): void {
    if (this.socket.destroyed) return
    const timer = setTimeout(() => this.socket.destroy(), LINGER_MS)
    this.socket.once('close', () => clearTimeout(timer))
  }

  private receive(chunk: Buffer): void {
    if (this.signal.aborted) return
    this.unread.push(chunk)
    if (this.unread.bytes >= MAX_UNREAD_BYTES) this.socket.pause()
  }

  private finish(): void {
    if (this.signal.aborted) return
    this.controller.abort()
    this.unread.end()
  }
}
