import type { DeviceFacts } from '@apprentice/contracts/devices/device.ts'
import { Failure } from '../../failure/failure.ts'
import { type DeviceRow, findDevice, upsertDevice } from '../../store/devices/devices.ts'
import type { CommandContext } from '../command/context.ts'
import { recordEvent } from '../command/ledger.ts'

/** One device in the device list of the adb server. */
export interface DeviceSighting {
  readonly serial: string
  readonly state: string
  readonly simulated: boolean
}

export function recordSighting(ctx: CommandContext, { serial, state, simulated }: DeviceSighting): void {
  const known = findDevice(ctx.tx, serial)
  upsertDevice(ctx.tx, {
    first_seen_at: ctx.now,
    facts: {},
    ...known,
    serial,
    state,
    simulated: simulated || (known?.simulated ?? false),
    last_seen_at: state === 'gone' ? (known?.last_seen_at ?? ctx.now) : ctx.now,
  })
  recordEvent(ctx, `device/${serial}`, 'device.state_changed', { state, previous: known?.state })
}

export function recordDeviceFacts(
  ctx: CommandContext,
  serial: string,
  { facts, simulated }: { facts: DeviceFacts; simulated: boolean },
): void {
  const known = findDevice(ctx.tx, serial)
  if (known === undefined) return
  upsertDevice(ctx.tx, { ...known, facts, simulated, last_seen_at: ctx.now })
  recordEvent(ctx, `device/${serial}`, 'device.facts_read')
}

export function labelDevice(ctx: CommandContext, serial: string, label: string): DeviceRow {
  const labelled = { ...getDevice(ctx, serial), label }
  upsertDevice(ctx.tx, labelled)
  recordEvent(ctx, `device/${serial}`, 'device.labelled')
  return labelled
}

/** Records that helpers were installed on a device, or removed. Undefined: it has none now. */
export function recordPreparation(ctx: CommandContext, serial: string, version: string | undefined): void {
  const { helpers: _helpers, ...facts } = getDevice(ctx, serial).facts
  const prepared = version === undefined ? facts : { ...facts, helpers: version }
  upsertDevice(ctx.tx, { ...getDevice(ctx, serial), facts: prepared })
  if (version === undefined) recordEvent(ctx, `device/${serial}`, 'device.unprepared')
  else recordEvent(ctx, `device/${serial}`, 'device.prepared', { version })
}

export function getDevice(ctx: Pick<CommandContext, 'tx'>, serial: string): DeviceRow {
  const device = findDevice(ctx.tx, serial)
  if (device === undefined) throw deviceNotFound(serial)
  return device
}

export const deviceNotFound = (serial: string, connected?: readonly string[]): Failure =>
  new Failure(
    'DEVICE_NOT_FOUND',
    `No device ${serial} has been seen.`,
    connected === undefined ? {} : { details: { connected } },
  )
