/**
 * The states of the adb server, and two more: `unresponsive` (listed as usable, but does not answer) and
 * `gone` (not listed, or the server is down).
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

export interface DeviceStateChange {
  readonly serial: string
  readonly state: DeviceState
  readonly previous: DeviceState | undefined
  /** How the change was noticed. `present`: the device was listed at the start. */
  readonly cause: 'present' | 'listed' | 'probe' | 'server_down'
}
