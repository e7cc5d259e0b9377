/**
 * What can go wrong on the wire, switchable while a face runs.
 *
 * Through the adb server face a client sees each fault as a real adb server would relay it: a lost
 * phone ends the client's connection, it never garbles it.
 */
export interface WireFaults {
  /**
   * The phone does not answer the handshake. adbd face: counts for new connections (`cut()` ends
   * the present ones). Server face: the phone is listed `offline` and its streams end.
   */
  readonly muteConnect: boolean
  /** The phone refuses every key until this is cleared. Same reach as `muteConnect`. */
  readonly unauthorized: boolean
  /**
   * Connections stay open and silent; what was held back flows once this is cleared. Set for the
   * whole server face it also holds back the answers of the server itself.
   */
  readonly freeze: boolean
  /** A service request is never answered, not even after this is cleared. */
  readonly hangOpen: boolean
  /** A service is accepted, then nothing runs and nothing comes. */
  readonly hangCommand: boolean
  /** Every service request is turned down: the client reads `closed`. */
  readonly refuseOpen: boolean
  /** Time between accepting a command and starting it. */
  readonly commandDelayMs: number
  /** Output leaves in pieces of `bytes`, one per `intervalMs`. */
  readonly trickle: { readonly bytes: number; readonly intervalMs: number } | undefined
  /** The stream is closed after this many bytes of output, so a shell_v2 exit packet never comes. */
  readonly truncateAfter: number | undefined
  /** The phone's connection is cut after this many bytes of output of one stream. */
  readonly dropAfter: number | undefined
  /**
   * After this many bytes of output of one stream the phone sends a packet with a broken header,
   * upon which an adb server gives the phone up. Server face: the same as `dropAfter`.
   */
  readonly corruptAfter: number | undefined
  /** A shell_v2 command ends without its exit packet. */
  readonly omitExit: boolean
  /** The phone neither announces nor accepts shell_v2. adbd face: announced at the handshake. */
  readonly noShellV2: boolean
}

const noFaults: WireFaults = Object.freeze({
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

/** The faults in force. A switch with a parent adds its own faults to those of the parent. */
export class FaultSwitch {
  private readonly parent: FaultSwitch | undefined
  private readonly listeners = new Set<() => void>()
  private own: Partial<WireFaults> = {}
  /** Asked for with every packet, changed hardly ever. */
  private merged: { readonly above: WireFaults; readonly faults: WireFaults } | undefined

  constructor(parent?: FaultSwitch) {
    this.parent = parent
  }

  get current(): WireFaults {
    const above = this.parent?.current ?? noFaults
    if (this.merged?.above !== above) this.merged = { above, faults: { ...above, ...this.own } }
    return this.merged.faults
  }

  /** Turns the named faults on (or off, with their quiet value); the others stay as they are. */
  set(change: Partial<WireFaults>): void {
    const merged = { ...this.own, ...change }
    this.own = Object.fromEntries(
      Object.entries(merged).filter(
        ([name, value]) => value !== noFaults[name as keyof WireFaults],
      ),
    )
    this.announce()
  }

  clear(): void {
    this.own = {}
    this.announce()
  }

  /** Calls back after every change here or above; returns the way to stop that. */
  onChange(listener: () => void): () => void {
    this.listeners.add(listener)
    const stopParent = this.parent?.onChange(listener)
    return () => {
      this.listeners.delete(listener)
      stopParent?.()
    }
  }

  /** Resolves as soon as nothing is frozen, or when `signal` aborts. */
  async thawed(signal: AbortSignal): Promise<void> {
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

  private announce(): void {
    this.merged = undefined
    for (const listener of this.listeners) listener()
  }
}
