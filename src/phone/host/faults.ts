/** Ways the phone itself can misbehave. The wire has faults of its own. */
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
] as const
export type FaultName = (typeof FAULT_NAMES)[number]

export interface PhoneFaults {
  /** Switches a fault on: for ever, or for the next `times` occasions. */
  set(name: FaultName, times?: number): void
  clear(name?: FaultName): void
  /** Commands that match never answer, until their stream is closed. */
  hangCommand(pattern: RegExp | undefined): void
  /** How many commands have met that. */
  readonly hungCommands: number
  /** True when the fault strikes now; counts the occasion. */
  strikes(name: FaultName): boolean
  /** True when the command is one to hang; counts it. */
  hangs(command: string): boolean
}

export function createFaults(): PhoneFaults {
  const left = new Map<FaultName, number>()
  let hanging: RegExp | undefined
  let hung = 0
  return {
    set: (name, times = Number.POSITIVE_INFINITY) => {
      left.set(name, times)
    },
    clear: (name) => {
      if (name === undefined) {
        left.clear()
        hanging = undefined
      } else {
        left.delete(name)
      }
    },
    hangCommand: (pattern) => {
      // Without the flags that make a pattern remember where it stopped.
      hanging = pattern && new RegExp(pattern.source, pattern.flags.replaceAll(/[gy]/g, ''))
    },
    strikes: (name) => {
      const times = left.get(name) ?? 0
      if (times <= 0) return false
      left.set(name, times - 1)
      return true
    },
    get hungCommands() {
      return hung
    },
    hangs: (command) => {
      if (hanging?.test(command) !== true) return false
      hung += 1
      return true
    },
  }
}
