/** Faults of the phone itself. The faults of its connection are in wire/faults.ts. */
export const FAULT_NAMES = [
  'dumpNeverIdle',
  'dumpNullRoot',
  'dumpSecondClient',
  'dumpTruncated',
  'dumpGarbagePrefix',
  'dumpStaleFile',
  'dumpCrash',
  'dumpKilled',
  'dumpNoTty',
  'noTouchPanel',
  'logcatDenied',
  'installRefused',
  'keyboardRefused',
  'helperKilled',
  'helperPortClosed',
  'helperTruncated',
  'helperFailed',
  'helperBlind',
] as const
export type FaultName = (typeof FAULT_NAMES)[number]

export interface PhoneFaults {
  /** Activates a fault permanently, or for the next `times` uses. */
  set(name: FaultName, times?: number): void
  clear(name?: FaultName): void
  /** Commands that match the pattern hang until their stream is closed. */
  hangCommand(pattern: RegExp | undefined): void
  /** Number of commands that hung. */
  readonly hungCommands: number
  /** True if the fault is active. Counts as one use. */
  consume(name: FaultName): boolean
  /** True if the command matches the hang pattern. Increments `hungCommands`. */
  shouldHang(command: string): boolean
}

export function createFaults(): PhoneFaults {
  const remaining = new Map<FaultName, number>()
  let hangPattern: RegExp | undefined
  let hungCount = 0
  return {
    set: (name, times = Number.POSITIVE_INFINITY) => {
      remaining.set(name, times)
    },
    clear: (name) => {
      if (name === undefined) {
        remaining.clear()
        hangPattern = undefined
      } else {
        remaining.delete(name)
      }
    },
    hangCommand: (pattern) => {
      // The flags g and y would make `test` stateful.
      hangPattern = pattern && new RegExp(pattern.source, pattern.flags.replaceAll(/[gy]/g, ''))
    },
    consume: (name) => {
      const times = remaining.get(name) ?? 0
      if (times <= 0) return false
      remaining.set(name, times - 1)
      return true
    },
    get hungCommands() {
      return hungCount
    },
    shouldHang: (command) => {
      if (hangPattern?.test(command) !== true) return false
      hungCount += 1
      return true
    },
  }
}
