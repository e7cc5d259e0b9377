import Database from 'better-sqlite3'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Another process keeps this home. */
export class HomeLocked extends Error {
  readonly holder_pid: number | undefined

  constructor(holder: number | undefined) {
    super(`Another daemon${holder === undefined ? '' : ` (pid ${holder})`} uses this home.`)
    this.holder_pid = holder
  }
}

/**
 * An exclusive lock of the operating system, held through an empty database of its own: it dies with the
 * process, so a crash never leaves a home locked. The pid beside it is only for the message.
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

/** The pid of the daemon that holds the home now, if any does. */
export function homeHolder(home: string): number | undefined {
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
