import { existsSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { readConfig } from '../../config/config.ts'
import { migrationsFolder } from '../../config/paths.ts'
import { DATABASE_NAME, findLoss } from '../../daemon/database-loss.ts'
import { compareProjections } from '../../projections/engine/compare.ts'
import { listProjections } from '../../projections/files/projection-table.ts'
import { assertKnownMigrations, listPendingMigrations } from '../../store/db/migrate.ts'
import type { Check } from './check.ts'

/** Opens the database read-only, so a running daemon is not disturbed. */
export async function checkDatabase(home: string): Promise<Check[]> {
  const file = join(home, DATABASE_NAME)
  let db: Database.Database | undefined
  try {
    const loss = existsSync(home) ? findLoss(home) : undefined
    if (loss !== undefined) return [reportDamage(loss)]
    if (!existsSync(file)) {
      return [{ id: 'database', status: 'warn', summary: 'does not exist yet; the first start creates it' }]
    }
    db = new Database(file, { readonly: true })
    const migrations = checkMigrations(db)
    const isCurrent = migrations.status === 'pass'
    return [checkIntegrity(db), migrations, ...(isCurrent ? [await checkProjections(db, home)] : [])]
  } catch (error) {
    return [reportDamage(error instanceof Error ? error.message : String(error))]
  } finally {
    db?.close()
  }
}

function checkIntegrity(db: Database.Database): Check {
  const result = String(db.pragma('quick_check', { simple: true }))
  return result === 'ok' ? { id: 'database', status: 'pass', summary: 'intact' } : reportDamage(result)
}

const reportDamage = (summary: string): Check => ({
  id: 'database',
  status: 'fail',
  summary,
  fix: 'restore a backup with apprentice restore (see the README)',
})

function checkMigrations(db: Database.Database): Check {
  try {
    assertKnownMigrations(db, migrationsFolder)
  } catch (error) {
    return { id: 'migrations', status: 'fail', summary: (error as Error).message }
  }
  const pending = listPendingMigrations(db, migrationsFolder)
  return pending.length === 0
    ? { id: 'migrations', status: 'pass', summary: 'up to date' }
    : { id: 'migrations', status: 'warn', summary: `${pending.length} to apply at the next start` }
}

/** The next start repairs the projections, so a difference is only a warning. */
async function checkProjections(db: Database.Database, home: string): Promise<Check> {
  const found: string[] = []
  const projections = listProjections({ max_phase: readConfig().settings.learn.adapters_max_phase })
  for await (const { path, problem } of compareProjections({ db }, home, projections)) {
    found.push(`${path} ${problem}`)
  }
  return found.length === 0
    ? { id: 'mirrors', status: 'pass', summary: 'every projected file matches the database' }
    : {
        id: 'mirrors',
        status: 'warn',
        summary: `${found.length} files differ from the database; the first: ${found[0]}`,
        fix: 'start the daemon: it writes them again',
      }
}
