import type { AddressInfo } from 'node:net'
import closeWithGrace from 'close-with-grace'
import type { Command } from 'commander'
import type { FastifyInstance } from 'fastify'
import { buildApp } from '../server/app.ts'
import { ConfigProblem, readConfig } from '../config/config.ts'
import { HomeLocked } from '../daemon/home-lock.ts'
import { DatabaseTooNew } from '../store/db/migrate.ts'
import { startSystem, type System } from '../daemon/system.ts'
import { version } from '../config/version.ts'
import { exitCodes } from './terminal/exit-codes.ts'

const drainMs = 10_000

export function addServeCommand(program: Command): void {
  program
    .command('serve', { isDefault: true })
    .description('run the daemon until it is told to stop')
    .action(serve)
}

async function serve(): Promise<void> {
  try {
    const system = await startSystem(readConfig())
    const app = await buildApp(system)
    closeWithGrace({ delay: drainMs, logger: false }, async ({ err }) => {
      if (err !== undefined) system.log.fatal({ err }, 'stopping after a fault')
      await stopDaemon(app, system)
    })
    await listenQuietly(app, system)
    announce(system, addressOf(app, system.config.host))
  } catch (error) {
    process.exitCode = explain(error)
  }
}

/** The framework would log a line of its own first; ours, with the url in a field, must be the first. */
async function listenQuietly(app: FastifyInstance, { config, log }: System): Promise<void> {
  const { level } = log
  log.level = 'silent'
  await app.listen({ host: config.host, port: config.port })
  log.level = level
}

/** New work is refused and streams end first; requests under way are answered before the store closes. */
async function stopDaemon(app: FastifyInstance, system: System): Promise<void> {
  system.stopping = true
  await app.close()
  await system.stop()
}

function addressOf(app: FastifyInstance, host: string): string {
  const { port } = app.server.address() as AddressInfo
  const shown = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return `http://${shown.includes(':') ? `[${shown}]` : shown}:${port}`
}

/** A person gets one readable block; a program gets a first log line that says `listening`. */
function announce(system: System, url: string): void {
  const { config, access, log } = system
  const phone = system.floor.phone.words
  if (!process.stdout.isTTY) {
    log.info({ url, version, home: config.home, phone, pid: process.pid }, 'listening')
    return
  }
  const { code } = access.issueLoginCode({ user_id: 'local', privilege: 'admin' })
  process.stdout.write(
    [
      '',
      `  Apprentice ${version}`,
      '',
      `  Open        ${url}/login?code=${code}`,
      '              (works once, for 15 minutes; `apprentice token login` makes another)',
      `  API docs    ${url}/docs`,
      `  Home        ${config.home}`,
      `  Phone       ${phone}`,
      '',
      '',
    ].join('\n'),
  )
}

function explain(error: unknown): number {
  const say = (message: string) => process.stderr.write(`apprentice: ${message}\n`)
  if (error instanceof HomeLocked) {
    say(`${error.message} Stop it, or set APPRENTICE_HOME to another folder.`)
    return exitCodes.homeLocked
  }
  if (error instanceof DatabaseTooNew) {
    say(error.message)
    return exitCodes.databaseTooNew
  }
  if (error instanceof ConfigProblem) {
    say(error.message)
    return exitCodes.badConfig
  }
  const { code, message } = error as NodeJS.ErrnoException
  say(code === 'EADDRINUSE' ? 'The port is taken; set APPRENTICE_PORT to another.' : message)
  return exitCodes.problem
}
