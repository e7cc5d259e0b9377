/**
 * The adb server's words, plus two of ours: `unresponsive` (listed as usable, yet it does not answer)
 * and `gone` (not listed, or the server itself is away).
 */
export type DeviceState =
  | 'device'
  | 'offline'
  | 'unauthorized'
  | 'connecting'
  | 'authorizing'
  | 'recovery'
  | 'sideload'
  | 'bootloader'
  | 'unknown'
  | 'unresponsive'
  | 'gone'

export interface Sighting {
  readonly serial: string
  readonly state: DeviceState
  readonly previous: DeviceState | undefined
  /** What gave it away. `present`: it was there when watching began. */
  readonly cause: 'present' | 'listed' | 'probe' | 'server_down'
}
