import type { Command } from 'commander'
import { createHost, type DeviceHost, listHosts, revokeHost } from '@apprentice/contracts/devices/hosts.ts'
import { hintCommand } from './terminal/command-hint.ts'
import { connect, type ConnectionOptions, printResult, reportFailures, withConnection } from './terminal/connection.ts'
import { formatTable } from './terminal/table.ts'

/** `apprentice hosts`: the device hosts of other machines. */
export function addHostsCommand(program: Command): void {
  const hosts = withConnection(program.command('hosts'))
    .description('list the device hosts: programs that serve the devices of other machines')
    .action((options: ConnectionOptions) => reportFailures(() => list(options)))
  withConnection(hosts.command('add <name>').description('register a host and print its token')).action(
    (name: string, _: ConnectionOptions, command: Command) =>
      reportFailures(() => add(name, command.optsWithGlobals())),
  )
  withConnection(
    hosts.command('revoke <hostId>').description('revoke the token of a host and end its connection'),
  ).action((hostId: string, _: ConnectionOptions, command: Command) =>
    reportFailures(() => revoke(hostId, command.optsWithGlobals())),
  )
}

async function list(options: ConnectionOptions): Promise<void> {
  const listed = await connect(options)(listHosts)
  printResult(options, listed, () =>
    [
      ...(listed.enabled ? [] : ['Device hosts are off: the daemon was started without APPRENTICE_REDIS.']),
      listed.hosts.length === 0
        ? `No device host is registered. Register one with: ${hintCommand('hosts add')} <name>`
        : formatTable([HEADINGS, ...listed.hosts.map(toRow)]),
    ].join('\n'),
  )
}

const HEADINGS = ['HOST', 'NAME', 'STATE', 'DEVICES', 'VERSION', 'LAST HEARD']

function toRow({ host_id, name, connected, revoked_at, serials, version, last_heard_at }: DeviceHost): string[] {
  const state = revoked_at !== undefined ? 'revoked' : connected ? 'connected' : 'away'
  return [host_id, name, state, String(serials.length), version ?? '-', last_heard_at ?? '-']
}

async function add(name: string, options: ConnectionOptions): Promise<void> {
  const created = await connect(options)(createHost, { body: { name } })
  printResult(
    options,
    created,
    () =>
      `${created.secret}\nIt is not displayed again. On the other machine set APPRENTICE_HOST_TOKEN to it and ` +
      `APPRENTICE_REDIS as for the daemon, and run: ${hintCommand('host --url')} <address of this daemon>`,
  )
}

async function revoke(hostId: string, options: ConnectionOptions): Promise<void> {
  const done = await connect(options)(revokeHost, { params: { hostId } })
  printResult(options, done, () => 'Revoked.')
}
