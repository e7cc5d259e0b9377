import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { migrationsFolder } from '../../src/paths.ts'
import { DatabaseTooNew, migrate, pendingMigrations } from '../../src/store/migrate.ts'

function aDatabase() {
  const folder = mkdtempSync(join(tmpdir(), 'apprentice-migrate-'))
  const db = new Database(join(folder, 'test.db'))
  onTestFinished(() => {
    db.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return { db, folder }
}

test('migrations apply once, in order, and name their noun', () => {
  const { db } = aDatabase()
  const names = readdirSync(migrationsFolder).map((file) => file.replace('.sql', ''))
  expect(migrate(db, migrationsFolder)).toEqual(names.toSorted())
  expect(migrate(db, migrationsFolder)).toEqual([])
  expect(pendingMigrations(db, migrationsFolder)).toEqual([])
  for (const [at, name] of names.toSorted().entries()) {
    expect(name).toMatch(new RegExp(`^${String(at + 1).padStart(4, '0')}_[a-z][a-z_]+$`))
  }
})

test('a migration that fails leaves no trace of itself', () => {
  const { db, folder } = aDatabase()
  const broken = join(folder, 'migrations')
  mkdirSync(broken)
  writeFileSync(join(broken, '0001_good.sql'), 'CREATE TABLE good (id INTEGER);')
  writeFileSync(
    join(broken, '0002_bad.sql'),
    'CREATE TABLE half (id INTEGER); SELECT missing FROM nowhere;',
  )
  expect(() => migrate(db, broken)).toThrow(/nowhere/)
  const tables = db
    .prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
    .pluck()
    .all()
  expect(tables).toEqual(['good', 'migrations'])
  expect(pendingMigrations(db, broken)).toEqual(['0002_bad'])
})

test('a database newer than the program is refused', () => {
  const { db } = aDatabase()
  migrate(db, migrationsFolder)
  db.prepare(
    "INSERT INTO migrations VALUES (9999, '9999_future', '2027-01-01T00:00:00.000Z')",
  ).run()
  expect(() => migrate(db, migrationsFolder)).toThrow(DatabaseTooNew)
})
