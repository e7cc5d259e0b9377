import type { DeviceFacts } from '@apprentice/contracts/devices/device.ts'
import { Failure } from '../../failure/failure.ts'
import { type DeviceRow, findDevice, upsertDevice } from '../../store/devices/devices.ts'
import type { CommandContext } from '../command/context.ts'
import { recordEvent } from '../command/ledger.ts'

/** What a look at the adb server showed. */
export interface Sighting {
  readonly serial: string
  readonly state: string
  readonly simulated: boolean
}

export function recordSighting(act: CommandContext, { serial, state, simulated }: Sighting): void {
  const known = findDevice(act.tx, serial)
  upsertDevice(act.tx, {
    first_seen_at: act.now,
    facts: {},
    ...known,
    serial,
    state,
    simulated: simulated || (known?.simulated ?? false),
    last_seen_at: state === 'gone' ? (known?.last_seen_at ?? act.now) : act.now,
  })
  recordEvent(act, `device/${serial}`, 'device.state_changed', { state, previous: known?.state })
}

export function recordFacts(
  act: CommandContext,
  serial: string,
  { facts, simulated }: { facts: DeviceFacts; simulated: boolean },
): void {
  const known = findDevice(act.tx, serial)
  if (known === undefined) return
  upsertDevice(act.tx, { ...known, facts, simulated, last_seen_at: act.now })
  recordEvent(act, `device/${serial}`, 'device.facts_read')
}

export function labelDevice(act: CommandContext, serial: string, label: string): DeviceRow {
  const labelled = { ...getDevice(act, serial), label }
  upsertDevice(act.tx, labelled)
  recordEvent(act, `device/${serial}`, 'device.labelled')
  return labelled
}

export function getDevice(act: Pick<CommandContext, 'tx'>, serial: string): DeviceRow {
  const device = findDevice(act.tx, serial)
  if (device === undefined) throw deviceNotFound(serial)
  return device
}

export const deviceNotFound = (serial: string, connected?: readonly string[]): Failure =>
  new Failure(
    'DEVICE_NOT_FOUND',
    `No device ${serial} has been seen.`,
    connected === undefined ? {} : { details: { connected } },
  )
