/**
 * Faults of the connection to a phone. They can be changed at any time.
 *
 * A client of the AdbServer sees each fault as a real adb server relays it: the loss of a phone
 * closes the client's connection.
 */
export interface WireFaults {
  /**
   * The phone does not answer the handshake. AdbdDevice: affects new connections (`cut()` closes
   * the open ones). AdbServer: the phone is listed as `offline` and its streams are closed.
   */
  readonly muteConnect: boolean
  /** The phone rejects all keys. Same scope as `muteConnect`. */
  readonly unauthorized: boolean
  /**
   * Connections stay open and send nothing. Delayed data is sent once this is cleared. Set for all
   * phones of an AdbServer, it also delays the answers of the server itself.
   */
  readonly freeze: boolean
  /** Service requests get no answer, even after this is cleared. */
  readonly hangOpen: boolean
  /** A service is accepted, but its command does not run. */
  readonly hangCommand: boolean
  /** Every service request is refused. The client receives `closed`. */
  readonly refuseOpen: boolean
  /** Milliseconds between accepting a command and starting it. */
  readonly commandDelayMs: number
  /** Output is sent in pieces of `bytes`, one per `intervalMs`. */
  readonly trickle: { readonly bytes: number; readonly intervalMs: number } | undefined
  /** The stream is closed after this many bytes of output, before the shell_v2 exit packet. */
  readonly truncateAfter: number | undefined
  /** The phone's connection is closed after this many bytes of output of one stream. */
  readonly dropAfter: number | undefined
  /**
   * After this many bytes of output of one stream, the phone sends a packet with an invalid header
   * and the adb server drops the phone. AdbServer: same as `dropAfter`.
   */
  readonly corruptAfter: number | undefined
  /** A shell_v2 command ends without its exit packet. */
  readonly omitExit: boolean
  /** The phone does not support shell_v2. AdbdDevice: takes effect at the next handshake. */
  readonly noShellV2: boolean
}

const NO_FAULTS: WireFaults = Object.freeze({
  muteConnect: false,
  unauthorized: false,
  freeze: false,
  hangOpen: false,
  hangCommand: false,
  refuseOpen: false,
  commandDelayMs: 0,
  trickle: undefined,
  truncateAfter: undefined,
  dropAfter: undefined,
  corruptAfter: undefined,
  omitExit: false,
  noShellV2: false,
})

/** The active faults. A switch with a parent adds its own faults to those of the parent. */
export class FaultSwitch {
  private readonly parent: FaultSwitch | undefined
  private readonly listeners = new Set<() => void>()
  private own: Partial<WireFaults> = {}
  /** Cached, because it is read for every packet. */
  private merged: { readonly inherited: WireFaults; readonly faults: WireFaults } | undefined

  constructor(parent?: FaultSwitch) {
    this.parent = parent
  }

  get current(): WireFaults {
    const inherited = this.parent?.current ?? NO_FAULTS
    if (this.merged?.inherited !== inherited) this.merged = { inherited, faults: { ...inherited, ...this.own } }
    return this.merged.faults
  }

  /** Changes the given faults. The others keep their value. */
  set(change: Partial<WireFaults>): void {
    const merged = { ...this.own, ...change }
    this.own = Object.fromEntries(
      Object.entries(merged).filter(([name, value]) => value !== NO_FAULTS[name as keyof WireFaults]),
    )
    this.notifyListeners()
  }

  clear(): void {
    this.own = {}
    this.notifyListeners()
  }

  /** Calls the listener after every change here or in the parent. Returns the unsubscribe function. */
  onChange(listener: () => void): () => void {
    this.listeners.add(listener)
    const stopParent = this.parent?.onChange(listener)
    return () => {
      this.listeners.delete(listener)
      stopParent?.()
    }
  }

  /** Resolves when `freeze` is off or `signal` aborts. */
  async waitUntilThawed(signal: AbortSignal): Promise<void> {
    if (!this.current.freeze || signal.aborted) return
    await new Promise<void>((resolve) => {
      const check = () => {
        if (this.current.freeze && !signal.aborted) return
        stop()
        signal.removeEventListener('abort', check)
        resolve()
      }
      const stop = this.onChange(check)
      signal.addEventListener('abort', check)
    })
  }

  private notifyListeners(): void {
    this.merged = undefined
    for (const listener of this.listeners) listener()
  }
}
