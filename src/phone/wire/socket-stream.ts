import type { Socket } from 'node:net'
import { ChunkQueue } from './chunk-queue.ts'

const unreadLimitBytes = 64 * 1024
const lingerMs = 1000

/** A client's socket: reading that makes the client wait, writing that waits for the client. */
export class SocketStream {
  private readonly socket: Socket
  private readonly controller = new AbortController()
  private readonly unread: ChunkQueue
  readonly signal = this.controller.signal

  constructor(socket: Socket) {
    this.socket = socket
    this.unread = new ChunkQueue(() => {
      if (this.unread.bytes < unreadLimitBytes) socket.resume()
    })
    socket.setNoDelay(true)
    socket.on('data', (chunk: Buffer) => this.receive(chunk))
    socket.on('end', () => this.over())
    socket.on('close', () => this.over())
    socket.on('error', () => this.over())
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
   * Sends what was written, however slow the client, then ends. The socket keeps reading for a
   * moment, because closing it over unread bytes would reset the connection and could lose the
   * last answer.
   */
  close(): void {
    if (this.signal.aborted) return
    this.over()
    this.socket.end(() => this.linger())
    this.socket.resume()
  }

  private linger(): void {
    if (this.socket.destroyed) return
    const timer = setTimeout(() => this.socket.destroy(), lingerMs)
    this.socket.once('close', () => clearTimeout(timer))
  }

  private receive(chunk: Buffer): void {
    if (this.signal.aborted) return
    this.unread.push(chunk)
    if (this.unread.bytes >= unreadLimitBytes) this.socket.pause()
  }

  private over(): void {
    if (this.signal.aborted) return
    this.controller.abort()
    this.unread.end()
  }
}
