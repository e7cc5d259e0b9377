import type { Command } from 'commander'
import { type Device, listDevices } from '@apprentice/contracts/devices/device.ts'
import {
  connect,
  type ConnectionOptions,
  print,
  report,
  table,
  withConnection,
} from './terminal/connection.ts'

export function addDevicesCommand(program: Command): void {
  withConnection(
    program.command('devices').description('list devices, connected ones first'),
  ).action((options: ConnectionOptions) => report(() => list(options)))
}

async function list(options: ConnectionOptions): Promise<void> {
  const listed = await connect(options)(listDevices)
  print(options, listed, () =>
    listed.devices.length === 0
      ? 'No device has been seen.'
      : table([heads, ...listed.devices.map(row)]),
  )
}

const heads = ['SERIAL', 'STATE', 'MODEL', 'ANDROID', 'BATTERY', 'LEASE', 'QUEUE', 'KIND', 'LABEL']

function row({ serial, state, facts, lease, queue_depth, simulated, label }: Device): string[] {
  const { battery_level, charging } = facts
  const battery =
    battery_level === undefined ? '-' : `${battery_level}%${charging === true ? '+' : ''}`
  return [
    serial,
    state,
    facts.model ?? '-',
    facts.android_version ?? '-',
    battery,
    lease === undefined ? 'free' : `${lease.owner_user_id} until ${lease.expires_at}`,
    String(queue_depth),
    simulated ? 'simulated' : 'real',
    label ?? '',
  ]
}
