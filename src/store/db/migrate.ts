import type Database from 'better-sqlite3'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The database was written by a newer version of this program. */
export class DatabaseTooNew extends Error {}

interface Migration {
  readonly number: number
  readonly name: string
  readonly sql: string
}

/** Applies the missing migrations, each in its own transaction. Returns their names. */
export function migrate(db: Database.Database, folder: string): string[] {
  db.exec(
    `CREATE TABLE IF NOT EXISTS migrations (
       number INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at TEXT NOT NULL) STRICT`,
  )
  assertKnownMigrations(db, folder)
  const applied = findAppliedNumber(db)
  const missing = readMigrations(folder).filter((migration) => migration.number > applied)
  for (const migration of missing) apply(db, migration)
  return missing.map((migration) => migration.name)
}

/** Throws `DatabaseTooNew` if a newer program has changed the schema. */
export function assertKnownMigrations(db: Database.Database, folder: string): void {
  const applied = findAppliedNumber(db)
  const newest = readMigrations(folder).at(-1)?.number ?? 0
  if (applied <= newest) return
  throw new DatabaseTooNew(
    `The database is at migration ${applied}, this program knows ${newest}. Use a newer program.`,
  )
}

export function listPendingMigrations(db: Database.Database, folder: string): string[] {
  const applied = findAppliedNumber(db)
  return readMigrations(folder)
    .filter((migration) => migration.number > applied)
    .map((migration) => migration.name)
}

function findAppliedNumber(db: Database.Database): number {
  return db.prepare('SELECT coalesce(max(number), 0) FROM migrations').pluck().get() as number
}

function readMigrations(folder: string): Migration[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .toSorted()
    .map((file) => ({
      number: Number(file.slice(0, 4)),
      name: file.slice(0, -'.sql'.length),
      sql: readFileSync(join(folder, file), 'utf8'),
    }))
}

function apply(db: Database.Database, { number, name, sql }: Migration): void {
  db.transaction(() => {
    // First, so that of two processes that start together only one applies the migration.
    db.prepare('INSERT INTO migrations (number, name, applied_at) VALUES (?, ?, ?)').run(
      number,
      name,
      new Date().toISOString(),
    )
    db.exec(sql)
  }).immediate()
}
