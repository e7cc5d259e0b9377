import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { migrationsFolder } from '../../src/config/paths.ts'
import { migrate } from '../../src/store/db/migrate.ts'

type Row = Readonly<Record<string, string | number | null>>

/** A database as it was before migration 0023. */
function openEarlierDatabase(): Database.Database {
  const folder = mkdtempSync(join(tmpdir(), 'apprentice-migrations-'))
  const db = new Database(':memory:')
  onTestFinished(() => {
    db.close()
    rmSync(folder, { recursive: true, force: true })
  })
  for (const name of readdirSync(migrationsFolder).filter((one) => one < '0023')) {
    cpSync(join(migrationsFolder, name), join(folder, name))
  }
  migrate(db, folder)
  db.pragma('foreign_keys = OFF')
  return db
}

/** Inserts a row. Columns that must have a value and are not given get an empty one. */
function insert(db: Database.Database, table: string, row: Row): void {
  const columns = db.pragma(`table_info(${table})`) as {
    name: string
    type: string
    notnull: number
    dflt_value: unknown
    pk: number
  }[]
  const needed = columns.filter(({ notnull, pk, dflt_value }) => (notnull === 1 || pk > 0) && dflt_value === null)
  const empty = needed.map(({ name, type }) => [name, type === 'INTEGER' ? 0 : '[]'] as const)
  const values = { ...Object.fromEntries(empty), ...row }
  const names = Object.keys(values)
  db.prepare(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map((name) => `@${name}`).join(', ')})`).run(
    values,
  )
}

function addAbility(db: Database.Database, name: string, recipe: string | null = '{}'): void {
  insert(db, 'abilities', { ability_id: name, current_version: 1, usable_now: 1 })
  insert(db, 'ability_versions', { ability_id: name, version: 1, draft_hash: `hash-${name}`, recipe })
}

const addRehearsal = (db: Database.Database, name: string, changes: Row = {}): void =>
  insert(db, 'validation_runs', {
    validation_run_id: `run-${name}`,
    draft_hash: `hash-${name}`,
    run_kind: 'rehearsal',
    overall_result: 'passed',
    selected_tests: '[]',
    completed_at: '2026-01-01T00:00:00.000Z',
    ...changes,
  })

const addRun = (db: Database.Database, name: string, state: string, acted: boolean): void =>
  insert(db, 'ability_runs', {
    run_id: `run-${name}`,
    execution_id: `execution-${name}`,
    ability_id: name,
    version: 1,
    state,
    outcome: JSON.stringify({ acted }),
    settled_at: '2026-01-02T00:00:00.000Z',
  })

test('migration 0023 keeps abilities usable whose content a device has carried out, and no others', () => {
  const db = openEarlierDatabase()
  for (const name of ['rehearsed', 'named', 'run', 'selected', 'failed', 'planned', 'unacted', 'lost', 'nothing']) {
    addAbility(db, name)
  }
  addAbility(db, 'guidance', null)
  addRehearsal(db, 'rehearsed')
  addRehearsal(db, 'named', { selected_tests: '["rehearsal"]' })
  addRehearsal(db, 'selected', { selected_tests: '["rehearsal","action:one"]' })
  addRehearsal(db, 'failed', { overall_result: 'failed' })
  addRehearsal(db, 'planned', { run_kind: 'dry_run' })
  addRun(db, 'run', 'success', true)
  addRun(db, 'unacted', 'success', false)
  addRun(db, 'lost', 'indeterminate', true)

  migrate(db, migrationsFolder)

  expect(db.prepare('SELECT draft_hash, kind, source_ref FROM content_proofs ORDER BY draft_hash').all()).toEqual([
    { draft_hash: 'hash-named', kind: 'rehearsal', source_ref: 'validation_run:run-named' },
    { draft_hash: 'hash-rehearsed', kind: 'rehearsal', source_ref: 'validation_run:run-rehearsed' },
    { draft_hash: 'hash-run', kind: 'verified_run', source_ref: 'ability_run:run-run' },
  ])
  const rows = db.prepare('SELECT ability_id, usable_now, reason_unusable FROM abilities ORDER BY ability_id').all()
  const usable = (rows as { ability_id: string; usable_now: number; reason_unusable: string | null }[]).map((row) => [
    row.ability_id,
    row.usable_now === 1 ? 'usable' : row.reason_unusable,
  ])
  expect(Object.fromEntries(usable)).toEqual({
    rehearsed: 'usable',
    named: 'usable',
    run: 'usable',
    guidance: 'usable',
    selected: 'not_rehearsed',
    failed: 'not_rehearsed',
    planned: 'not_rehearsed',
    unacted: 'not_rehearsed',
    lost: 'not_rehearsed',
    nothing: 'not_rehearsed',
  })
})
