import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import closeWithGrace from 'close-with-grace'
import type { Command } from 'commander'
import type { FastifyInstance } from 'fastify'
import { buildApp } from '../server/app.ts'
import { followRequests } from '../server/open-requests.ts'
import { type Config, ConfigError, takeConfig } from '../config/config.ts'
import { findStorageCode } from '../failure/storage-failure.ts'
import { HomeLocked } from '../home/home-lock.ts'
import { DatabaseLost } from '../daemon/database-loss.ts'
import { DatabaseTooNew } from '../store/db/migrate.ts'
import { startSystem, type System } from '../daemon/system.ts'
import { version } from '../config/version.ts'
import { hintCommand } from './terminal/command-hint.ts'
import { EXIT_CODES } from './terminal/exit-codes.ts'

const DRAIN_MS = 10_000
/** The time to stop what was started before the start failed. */
const START_FAILURE_STOP_MS = 2000

export function addServeCommand(program: Command): void {
  program
    .command('serve')
    .description('run the daemon')
    .option('--accept-loss', 'start although the database of the home is missing or lacks commits')
    .action(serve)
}

async function serve({ acceptLoss = false }: { acceptLoss?: boolean }): Promise<void> {
  let stop: () => Promise<void> = async () => {}
  try {
    const system = await startSystem(takeConfig(), { acceptLoss })
    stop = () => system.stop()
    const app = await buildApp(system)
    const closeServer = followRequests(app)
    closeWithGrace({ delay: DRAIN_MS, logger: false }, async ({ err }) => {
      if (err !== undefined) system.log.fatal({ err }, 'stopping because of an error')
      await stopDaemon(closeServer, system)
    })
    await listenQuietly(app, system)
    printStartBlock(system, formatUrl(app, system.config.host))
  } catch (error) {
    const exitCode = reportStartFailure(error)
    await Promise.race([stop().catch(() => {}), sleep(START_FAILURE_STOP_MS)])
    // Parts that were started before the failure keep timers and sockets open.
    process.exit(exitCode)
  }
}

/** Listens without Fastify's own log line, so that the first line is the one with the field `url`. */
async function listenQuietly(app: FastifyInstance, { config, log }: System): Promise<void> {
  const { level } = log
  log.level = 'silent'
  try {
    await app.listen({ host: config.host, port: config.port })
  } catch (error) {
    throw new ListenFailure(config, error as NodeJS.ErrnoException)
  }
  log.level = level
}

class ListenFailure extends Error {
  constructor({ host, port }: Pick<Config, 'host' | 'port'>, cause: NodeJS.ErrnoException) {
    super(formatListenFailure(cause, host, port), { cause })
  }
}

function formatListenFailure({ code, message }: NodeJS.ErrnoException, host: string, port: number): string {
  if (code === 'EADDRINUSE') {
    return `Port ${port} is already in use; stop the program that uses it or set APPRENTICE_PORT to another port.`
  }
  if (code === 'EACCES') {
    return `Port ${port} may not be opened by this user; set APPRENTICE_PORT to a port above 1023.`
  }
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return `The address ${host} does not belong to this machine; set APPRENTICE_HOST to another address.`
  }
  return `The daemon cannot listen on ${host} port ${port}: ${message}.`
}

/** Refuses new work, ends streams and releases waiting requests first. Requests in progress are answered next. */
async function stopDaemon(closeServer: () => Promise<void>, system: System): Promise<void> {
  system.stopping = true
  system.jobs.releaseWaiters()
  await closeServer()
  await system.stop()
}

function formatUrl(app: FastifyInstance, host: string): string {
  const { port } = app.server.address() as AddressInfo
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}

/** On a terminal, prints where everything is; otherwise logs `listening` as the first line. */
function printStartBlock(system: System, url: string): void {
  const { config, access, log } = system
  const phone = system.devices.phone.description
  if (!process.stdout.isTTY) {
    log.info({ url, version, home: config.home, phone, pid: process.pid }, 'listening')
    return
  }
  const caller = access.bootstrapCaller
  const link = caller === undefined ? undefined : `${url}/login?code=${access.issueLoginCode(caller).code}`
  process.stdout.write(
    [
      '',
      `  Apprentice ${version} is running. Stop it with Ctrl-C.`,
      '',
      `  Dashboard   ${link ?? 'closed: the file of the admin token is empty'}`,
      ...(link === undefined ? [] : ['              This link works once, for 15 minutes.']),
      `              Get another one with: ${hintCommand('token login')}`,
      `  API docs    ${url}/docs`,
      `  Home        ${config.home}`,
      `  Phone       ${phone}`,
      '',
      '',
    ].join('\n'),
  )
}

function reportStartFailure(error: unknown): number {
  const say = (message: string) => process.stderr.write(`apprentice: ${message}\n`)
  if (error instanceof HomeLocked) {
    say(`${error.message} Stop it, or set APPRENTICE_HOME to another folder.`)
    return EXIT_CODES.homeLocked
  }
  if (error instanceof DatabaseTooNew) {
    say(error.message)
    return EXIT_CODES.databaseTooNew
  }
  if (error instanceof DatabaseLost) {
    say(
      `${error.message} Restore a backup with ${hintCommand('restore <folder>')}, or run ` +
        `${hintCommand('serve --accept-loss')} to go on without it; its files are then kept in the folder lost.`,
    )
    return EXIT_CODES.databaseLost
  }
  if (error instanceof ConfigError) {
    say(error.message)
    return EXIT_CODES.badConfig
  }
  const { code, message } = error as NodeJS.ErrnoException
  if (findStorageCode(error) === 'STORAGE_FULL') {
    say('The disk is full. Nothing is lost; make room for the home folder and start again.')
    return EXIT_CODES.failure
  }
  say(code?.startsWith('SQLITE_') === true ? `The database cannot be opened: ${message}.` : message)
  return EXIT_CODES.failure
}
