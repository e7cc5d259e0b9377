import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type Command, InvalidArgumentError } from 'commander'
import { readConfig } from '../../config/config.ts'
import { DATABASE_NAME } from '../../daemon/database-loss.ts'
import { makeTemporaryFolder, writeFile } from '../../home/private-files.ts'
import { reportFailures } from '../terminal/connection.ts'
import { Replica, type ReplicaUpdate } from './replica.ts'

const DEFAULT_EVERY_S = 10
const URL_PATTERN = /^[a-z][a-z\d+.-]*:\/\//i

interface ReplicateOptions {
  readonly to: string
  readonly files?: string
  readonly every: number
  readonly once?: boolean
  readonly withSecrets?: boolean
  readonly json?: boolean
}

export function addReplicateCommand(program: Command): void {
  program
    .command('replicate')
    .summary('keep a copy of the home up to date')
    .description(
      'Keeps a copy of the home in a folder up to date until Ctrl-C, also while the daemon runs. With another address than a folder, Litestream, which must be installed, copies the database there.',
    )
    .requiredOption('--to <folder or url>', 'a folder on another disk, or an address that Litestream knows')
    .option('--files <folder>', 'where the files go that Litestream does not copy')
    .option('--every <seconds>', 'time between two updates', parseSeconds, DEFAULT_EVERY_S)
    .option('--once', 'update the folder once and end')
    .option('--with-secrets', 'also copy the admin token and the keys of this installation')
    .option('--json', 'print one JSON document per update')
    .action((options: ReplicateOptions) => reportFailures(() => replicate(options)))
}

function parseSeconds(text: string): number {
  const seconds = Number(text)
  if (!(seconds >= 0.1 && seconds <= 86_400)) throw new InvalidArgumentError('A number from 0.1 to 86400 is needed.')
  return seconds
}

async function replicate(options: ReplicateOptions): Promise<void> {
  const { to, files, once: isOnce = false, withSecrets = false } = options
  const { home } = readConfig()
  const litestream = URL_PATTERN.test(to) && !to.startsWith('file:') ? to : undefined
  if (litestream !== undefined && files === undefined) {
    throw new Error('Litestream copies only the database. Name a folder for the other files with --files.')
  }
  if (litestream !== undefined && isOnce) throw new Error('Litestream copies until it is stopped. Omit --once.')
  const folder = litestream === undefined ? (to.startsWith('file:') ? fileURLToPath(to) : to) : (files ?? to)
  const replica = await Replica.open(home, resolve(folder), {
    withSecrets,
    ...(litestream === undefined ? {} : { litestream }),
  })
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())
  try {
    if (isOnce) report(await replica.update(new Date().toISOString()), options)
    else if (litestream === undefined) await keepUpdating(replica, options, stop.signal)
    else await withLitestream(home, litestream, stop, () => keepUpdating(replica, options, stop.signal))
  } finally {
    replica.close()
  }
}

/** A failed update is tried again with the next one: a disk may be full or away for a while. */
async function keepUpdating(replica: Replica, options: ReplicateOptions, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      const update = await replica.update(new Date().toISOString())
      if (update !== undefined) report(update, options)
    } catch (error) {
      process.stderr.write(`apprentice: The update failed: ${(error as Error).message}\n`)
    }
    await sleep(options.every * 1000, undefined, { signal }).catch(() => {})
  }
}

function report(update: ReplicaUpdate | undefined, { json }: ReplicateOptions): void {
  const at = new Date().toISOString()
  if (json === true) process.stdout.write(`${JSON.stringify({ at, changed: update !== undefined, ...update })}\n`)
  else if (update === undefined) process.stdout.write(`${at}  nothing has changed\n`)
  else {
    const { pages, files, bytes, commit_count } = update
    process.stdout.write(`${at}  ${pages} pages and ${files} files (${bytes} bytes), up to commit ${commit_count}\n`)
  }
}

/** Runs Litestream beside the work. Either ends the other. */
async function withLitestream(
  home: string,
  url: string,
  stop: AbortController,
  work: () => Promise<void>,
): Promise<void> {
  const folder = await makeTemporaryFolder('apprentice-litestream-')
  const config = join(folder, 'litestream.yml')
  // JSON is YAML.
  await writeFile(config, JSON.stringify({ dbs: [{ path: join(home, DATABASE_NAME), replicas: [{ url }] }] }))
  const child = spawn('litestream', ['replicate', '-config', config], { stdio: ['ignore', 2, 2] })
  const ended = waitForEnd(child).finally(() => stop.abort())
  try {
    await Promise.all([ended, work().finally(() => child.kill('SIGTERM'))])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function waitForEnd(child: ChildProcess): Promise<void> {
  try {
    const [code] = (await once(child, 'exit')) as [number | null]
    if (code !== 0 && code !== null) throw new Error(`Litestream ended with exit code ${code}.`)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    throw new Error('Litestream is not installed. Install it, or replicate to a folder.', { cause: error })
  }
}
