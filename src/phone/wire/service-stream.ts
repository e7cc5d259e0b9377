/**
 * The stream of one adb service (shell, exec or sync): the socket of a client after it selected a
 * phone, or one stream of an adbd connection.
 */
export interface ServiceStream {
  /** Accepts the service. Must be called before the first write. */
  accept(): void
  /** Refuses the service and ends the stream. */
  refuse(): void
  /** The client's next bytes, or undefined once it has closed. */
  read(): Promise<Buffer | undefined>
  /** Resolves when the client can receive more. After a close, the bytes are dropped. */
  write(chunk: Buffer): Promise<void>
  /** Ends the stream after the pending writes. */
  close(): void
  /** Closes the connection of the phone, with all its streams. */
  drop(): void
  /** Sends an invalid packet; see the fault `corruptAfter`. */
  corrupt(): void
  /** Aborted when either side closed the stream or the connection was lost. */
  readonly signal: AbortSignal
}
