import Database from 'better-sqlite3'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ensureFileSync, replaceFileSync } from './private-files.ts'

/** Another daemon uses this home. */
export class HomeLocked extends Error {
  readonly holder_pid: number | undefined

  constructor(holder: number | undefined) {
    super(`Another daemon${holder === undefined ? '' : ` (pid ${holder})`} uses this home.`)
    this.holder_pid = holder
  }
}

/** Locks the home. The pid file is only for the error message. Returns a function that unlocks. */
export function lockHome(home: string): () => void {
  const pidFile = join(home, 'daemon.pid')
  const unlock = lockFile(join(home, 'daemon.lock'))
  if (unlock === undefined) throw new HomeLocked(readPid(pidFile))
  replaceFileSync(pidFile, `${process.pid}\n`)
  return unlock
}

/**
 * Locks with an operating-system lock on an empty database. The lock ends with the process, so a crash never leaves
 * anything locked. Returns a function that unlocks, or undefined if another process holds the lock.
 */
export function lockFile(file: string): (() => void) | undefined {
  ensureFileSync(file)
  const db = new Database(file, { timeout: 0 })
  try {
    db.pragma('locking_mode = EXCLUSIVE')
    db.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    db.close()
    if ((error as { code?: string }).code === 'SQLITE_BUSY') return undefined
    throw error
  }
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
