import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { migrationsFolder } from '../../src/config/paths.ts'
import { DatabaseTooNew, migrate, listPendingMigrations } from '../../src/store/db/migrate.ts'

function openDatabase() {
  const folder = mkdtempSync(join(tmpdir(), 'apprentice-migrate-'))
  const db = new Database(join(folder, 'test.db'))
  onTestFinished(() => {
    db.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return { db, folder }
}

test('migrations are numbered without gaps, have descriptive names and are applied once, in order', () => {
  const { db } = openDatabase()
  const names = readdirSync(migrationsFolder).map((file) => file.replace('.sql', ''))
  expect(migrate(db, migrationsFolder)).toEqual(names.toSorted())
  expect(migrate(db, migrationsFolder)).toEqual([])
  expect(listPendingMigrations(db, migrationsFolder)).toEqual([])
  for (const [at, name] of names.toSorted().entries()) {
    expect(name).toMatch(new RegExp(`^${String(at + 1).padStart(4, '0')}_[a-z][a-z_]+$`))
  }
})

test('a failed migration is rolled back and stays pending', () => {
  const { db, folder } = openDatabase()
  const broken = join(folder, 'migrations')
  mkdirSync(broken)
  writeFileSync(join(broken, '0001_good.sql'), 'CREATE TABLE good (id INTEGER);')
  writeFileSync(join(broken, '0002_bad.sql'), 'CREATE TABLE half (id INTEGER); SELECT missing FROM nowhere;')
  expect(() => migrate(db, broken)).toThrow(/nowhere/)
  const tables = db.prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").pluck().all()
  expect(tables).toEqual(['good', 'migrations'])
  expect(listPendingMigrations(db, broken)).toEqual(['0002_bad'])
})

test('a database newer than the program is refused', () => {
  const { db } = openDatabase()
  migrate(db, migrationsFolder)
  db.prepare("INSERT INTO migrations VALUES (9999, '9999_future', '2027-01-01T00:00:00.000Z')").run()
  expect(() => migrate(db, migrationsFolder)).toThrow(DatabaseTooNew)
})

test('rebuilding receipts and boundaries keeps their rows and continues their positions', () => {
  const { db, folder } = openDatabase()
  const earlier = join(folder, 'migrations')
  mkdirSync(earlier)
  for (const file of readdirSync(migrationsFolder).filter((name) => name < '0009')) {
    copyFileSync(join(migrationsFolder, file), join(earlier, file))
  }
  migrate(db, earlier)
  const addReceipt = (id: string) =>
    db
      .prepare(
        `INSERT INTO receipts (receipt_id, owner_user_id, receipt_kind, status, learn_session_id, actor, summary,
           correlation_id, details, created_at) VALUES (?, 'u', 'k', 's', 'L', 'user', '', 'c', '{}', 't')`,
      )
      .run(id)
  for (const id of ['a', 'b', 'gone']) addReceipt(id)
  db.exec("DELETE FROM receipts WHERE receipt_id = 'gone'")
  db.exec(
    `INSERT INTO boundaries (boundary_id, learn_session_id, kind, source, created_at)
       VALUES ('x', 'L', 'start', 'user', 't'), ('y', 'M', 'start', 'user', 't'), ('z', 'L', 'end', 'user', 't')`,
  )
  migrate(db, migrationsFolder)
  addReceipt('c')
  expect(db.prepare('SELECT receipt_id, position FROM receipts ORDER BY position').raw().all()).toEqual([
    ['a', 1],
    ['b', 2],
    ['c', 4],
  ])
  expect(
    db.prepare("SELECT boundary_id FROM boundaries WHERE learn_session_id = 'L' ORDER BY position").pluck().all(),
  ).toEqual(['x', 'z'])
})
