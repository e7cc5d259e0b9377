/**
 * One adb service conversation (a shell, an exec, a sync) as the services see it. Either a client's
 * socket after the transport switch, or one stream among many inside an adbd connection.
 */
export interface ServiceStream {
  /** Tells the client that the service was found. Nothing may be written before. */
  accept(): void
  /** Tells the client that there is no such service, and ends the stream. */
  refuse(): void
  /** The client's next bytes, or undefined once it has closed. */
  read(): Promise<Buffer | undefined>
  /** Resolves when the client can take more. After a close the bytes go nowhere. */
  write(chunk: Buffer): Promise<void>
  /** Ends the stream after everything written so far. */
  close(): void
  /** Loses the phone: this stream and every other one it carries end. */
  drop(): void
  /** Sends what no phone should send; see the fault `corruptAfter`. */
  corrupt(): void
  /** Aborted when the stream is over: closed by either side, or the connection below went away. */
  readonly signal: AbortSignal
}
