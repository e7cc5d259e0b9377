import { existsSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { readConfig } from '../../config/config.ts'
import { migrationsFolder } from '../../config/paths.ts'
import { compareMirrors } from '../../projections/engine/compare.ts'
import { mirrorTable } from '../../projections/files/projection-table.ts'
import { pendingMigrations } from '../../store/db/migrate.ts'
import type { Check } from './check.ts'

/** Reads a running daemon's database as safely as a stopped one's: nothing is written. */
export async function checkDatabase(home: string): Promise<Check[]> {
  const file = join(home, 'apprentice.db')
  if (!existsSync(file)) {
    return [
      { id: 'database', status: 'warn', summary: 'does not exist yet; the first start makes it' },
    ]
  }
  let db: Database.Database | undefined
  try {
    db = new Database(file, { readonly: true })
    return [checkIntegrity(db), checkMigrations(db), await checkMirrors(db, home)]
  } catch (error) {
    return [damaged(error instanceof Error ? error.message : String(error))]
  } finally {
    db?.close()
  }
}

function checkIntegrity(db: Database.Database): Check {
  const said = String(db.pragma('quick_check', { simple: true }))
  return said === 'ok' ? { id: 'database', status: 'pass', summary: 'sound' } : damaged(said)
}

const damaged = (summary: string): Check => ({
  id: 'database',
  status: 'fail',
  summary,
  fix: 'restore a backup into an empty home (see the README)',
})

function checkMigrations(db: Database.Database): Check {
  const pending = pendingMigrations(db, migrationsFolder)
  return pending.length === 0
    ? { id: 'migrations', status: 'pass', summary: 'up to date' }
    : { id: 'migrations', status: 'warn', summary: `${pending.length} to apply at the next start` }
}

/** The daemon mends its mirrors at the next start, so this only warns. */
async function checkMirrors(db: Database.Database, home: string): Promise<Check> {
  const found: string[] = []
  const mirrors = mirrorTable({ max_phase: readConfig().settings.learn.adapters_max_phase })
  for await (const { path, problem } of compareMirrors({ db }, home, mirrors)) {
    found.push(`${path} ${problem}`)
  }
  return found.length === 0
    ? { id: 'mirrors', status: 'pass', summary: 'every file says what the database says' }
    : {
        id: 'mirrors',
        status: 'warn',
        summary: `${found.length} files differ, first ${found[0]}`,
        fix: 'start the daemon: it writes them anew',
      }
}
