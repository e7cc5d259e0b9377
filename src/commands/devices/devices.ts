import type { Command } from 'commander'
import { type Device, listDevices } from '@apprentice/contracts/devices/device.ts'
import { connect, type ConnectionOptions, printResult, reportFailures, withConnection } from '../terminal/connection.ts'
import { formatTable } from '../terminal/table.ts'
import { addPreparationCommands } from './preparation.ts'

export function addDevicesCommand(program: Command): void {
  const devices = withConnection(program.command('devices'))
    .description('list devices, connected ones first')
    .action((options: ConnectionOptions) => reportFailures(() => list(options)))
  addPreparationCommands(devices)
}

async function list(options: ConnectionOptions): Promise<void> {
  const listed = await connect(options)(listDevices)
  printResult(options, listed, () =>
    listed.devices.length === 0 ? 'No devices found.' : formatTable([HEADINGS, ...listed.devices.map(toRow)]),
  )
}

const HEADINGS = ['SERIAL', 'STATE', 'MODEL', 'ANDROID', 'BATTERY', 'SCREENS', 'LEASE', 'QUEUE', 'KIND', 'LABEL']

function toRow({ serial, state, facts, lease, queue_depth, simulated, label }: Device): string[] {
  const { battery_level, charging } = facts
  const battery = battery_level === undefined ? '-' : `${battery_level}%${charging === true ? '+' : ''}`
  return [
    serial,
    state,
    facts.model ?? '-',
    facts.android_version ?? '-',
    battery,
    facts.helpers === undefined ? 'dump' : `helper ${facts.helpers}`,
    lease === undefined ? 'free' : `${lease.owner_user_id} until ${lease.expires_at}`,
    String(queue_depth),
    simulated ? 'simulated' : 'real',
    label ?? '',
  ]
}
