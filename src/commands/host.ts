import { once } from 'node:events'
import type { Command } from 'commander'
import { pino } from 'pino'
import { createClient } from '@apprentice/contracts/client.ts'
import { ConfigError, takeConfig, takeHostToken } from '../config/config.ts'
import { version } from '../config/version.ts'
import { EXIT_CODES } from './terminal/exit-codes.ts'
import { describeError } from './terminal/connection.ts'
import { hintCommand } from './terminal/command-hint.ts'

interface HostOptions {
  readonly url?: string
}

/** `apprentice host`: serves the devices of this machine to a daemon on another one. */
export function addHostCommand(program: Command): void {
  program
    .command('host')
    .description('serve the devices of the adb server of this machine to a daemon on another one, until Ctrl-C')
    .option('--url <url>', 'address of the daemon (default: from APPRENTICE_HOST and APPRENTICE_PORT)')
    .addHelpText(
      'after',
      '\nAPPRENTICE_REDIS names the Redis that the daemon uses, and APPRENTICE_HOST_TOKEN is the token of this host,\n' +
        `which the administrator of the daemon gets from: ${hintCommand('hosts add')} <name>`,
    )
    .action(serveDevices)
}

async function serveDevices(options: HostOptions): Promise<void> {
  const stop = new AbortController()
  void Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]).then(() => stop.abort())
  try {
    const host = await createHost(options)
    await host.serve(stop.signal)
  } catch (error) {
    process.stderr.write(`apprentice: ${describeError(error)}\n`)
    process.exitCode = toExitCode(error)
  }
}

async function createHost({ url }: HostOptions) {
  const token = takeHostToken()
  const { redis, adb, host, port, log: level } = takeConfig()
  if (redis === undefined) throw new ConfigError('Set APPRENTICE_REDIS to the Redis that the daemon uses.')
  if (token === undefined) throw new ConfigError('Set APPRENTICE_HOST_TOKEN to the token of this host.')
  const daemon = createClient({ baseUrl: url ?? `http://${host}:${port}`, token })
  const { DeviceHost } = await import('../device-hosts/host/device-host.ts')
  return new DeviceHost({ daemon, token, redis, server: adb, version, log: pino({ level }) })
}

function toExitCode(error: unknown): number {
  if (error instanceof ConfigError) return EXIT_CODES.badConfig
  return EXIT_CODES.failure
}
