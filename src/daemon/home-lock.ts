import Database from 'better-sqlite3'
import { accessSync, constants, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Another daemon uses this home. */
export class HomeLocked extends Error {
  readonly holder_pid: number | undefined

  constructor(holder: number | undefined) {
    super(`Another daemon${holder === undefined ? '' : ` (pid ${holder})`} uses this home.`)
    this.holder_pid = holder
  }
}

/** The home cannot be created or written. */
export class HomeUnusable extends Error {
  constructor(home: string, { code }: NodeJS.ErrnoException) {
    super(`The home ${home} cannot be written (${code}); set APPRENTICE_HOME to a folder you can write to.`)
  }
}

/** Creates the home if it is missing and checks that it can be written. */
export function prepareHome(home: string): void {
  try {
    mkdirSync(home, { recursive: true, mode: 0o700 })
    accessSync(home, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    throw new HomeUnusable(home, error as NodeJS.ErrnoException)
  }
}

/**
 * Locks the home with an operating-system lock on an empty database. The lock ends with the process, so a crash never
 * leaves a home locked. The pid file is only for the error message. Returns a function that unlocks.
 */
export function lockHome(home: string): () => void {
  const db = new Database(join(home, 'daemon.lock'), { timeout: 0 })
  const pidFile = join(home, 'daemon.pid')
  try {
    db.pragma('locking_mode = EXCLUSIVE')
    db.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    db.close()
    if ((error as { code?: string }).code === 'SQLITE_BUSY') throw new HomeLocked(readPid(pidFile))
    throw error
  }
  writeFileSync(pidFile, `${process.pid}\n`)
  return () => db.close()
}

/** The pid of the daemon that uses the home. -1 when its pid is unknown, undefined when none uses it. */
export function findHomeHolder(home: string): number | undefined {
  try {
    lockHome(home)()
    return undefined
  } catch (error) {
    if (error instanceof HomeLocked) return error.holder_pid ?? -1
    throw error
  }
}

function readPid(file: string): number | undefined {
  try {
    const pid = Number(readFileSync(file, 'utf8').trim())
    return Number.isInteger(pid) && pid > 0 ? pid : undefined
  } catch {
    return undefined
  }
}
