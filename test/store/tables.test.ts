import { readdirSync } from 'node:fs'
import { resolve } from 'node:path'
import type { AbilityAvailabilityEntry } from '@apprentice/contracts/abilities/ability.ts'
import type { InstallSaga } from '@apprentice/contracts/abilities/installs.ts'
import type { AbilityRun } from '@apprentice/contracts/abilities/runs.ts'
import type { CapabilityHealth } from '@apprentice/contracts/capabilities/capability.ts'
import type { DeviceRecording } from '@apprentice/contracts/devices/recording.ts'
import type { Practice } from '@apprentice/contracts/learn/practice.ts'
import type { SkillBundleProposal } from '@apprentice/contracts/learn/proposal.ts'
import type { LearnSession } from '@apprentice/contracts/learn/session.ts'
import type { ValidationRun, ValidationStepResult } from '@apprentice/contracts/learn/validation.ts'
import type { ImportedSkillRecord } from '@apprentice/contracts/skills/import-record.ts'
import type { SkillRun } from '@apprentice/contracts/skills/runs.ts'
import Database from 'better-sqlite3'
import fc from 'fast-check'
import { afterAll, expect, expectTypeOf, test } from 'vitest'
import { migrationsFolder } from '../../src/config/paths.ts'
import type { AnyColumn, Columns } from '../../src/store/db/columns.ts'
import type { Tx } from '../../src/store/db/db.ts'
import { migrate } from '../../src/store/db/migrate.ts'
import { Table } from '../../src/store/db/table.ts'
import type { AbilityRow } from '../../src/store/abilities/abilities.ts'
import type { HealthRow } from '../../src/store/capabilities/capabilities.ts'
import type { RecordingRow } from '../../src/store/capture/recordings.ts'
import type { SagaRow } from '../../src/store/install/install-sagas.ts'
import type { PracticeRow } from '../../src/store/practice/practices.ts'
import type { StoredProposal } from '../../src/store/proposals/proposals.ts'
import type { AbilityRunRow, RunOutcome } from '../../src/store/runs/ability-runs.ts'
import type { StoredSession } from '../../src/store/sessions/learn-sessions.ts'
import type { ImportRow } from '../../src/store/skill-import/skill-imports.ts'
import type { SkillRunRow } from '../../src/store/skill-runs/skill-runs.ts'
import type { StoredRun } from '../../src/store/validation/validation-runs.ts'
import type { StoredStep } from '../../src/store/validation/validation-steps.ts'
import { countRuns } from '../kit/count-runs.ts'

interface AnyTable {
  readonly name: string
  readonly columns: Columns
  readonly key: readonly string[]
  insert(tx: Tx, row: Readonly<Record<string, unknown>>): void
  decode(row: unknown): object
}

const STORE = resolve(import.meta.dirname, '../../src/store')
/** Tables without a declaration, and why. */
const EXEMPT: Readonly<Record<string, string>> = {
  migrations: 'created and read by migrate.ts before any other table exists',
}

const tables = await findTables()

async function findTables(): Promise<AnyTable[]> {
  const files = readdirSync(STORE, { recursive: true, encoding: 'utf8' })
  const modules = await Promise.all(
    files
      .filter((file) => file.endsWith('.ts'))
      .map(async (file) => (await import(`../../src/store/${file.slice(0, -3)}.ts`)) as Record<string, unknown>),
  )
  return modules
    .flatMap((exports) => Object.values(exports))
    .filter((value): value is AnyTable => value instanceof Table)
    .toSorted((a, b) => a.name.localeCompare(b.name))
}

const db = new Database(':memory:')
const tx = { db } as Tx
migrate(db, migrationsFolder)
afterAll(() => {
  db.close()
})

interface SchemaColumn {
  readonly name: string
  readonly type: string
  readonly notnull: number
  readonly pk: number
}

test('every table of the schema has exactly one declaration', () => {
  const inSchema = db
    .prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'`)
    .pluck()
    .all() as string[]
  const declared = tables.map(({ name }) => name)
  expect(declared.toSorted()).toEqual(inSchema.filter((name) => !(name in EXEMPT)).toSorted())
})

test.each(tables.map((table) => [table.name, table] as const))(
  'the declaration of %s has the columns, types, nullability and key of the schema',
  (name, table) => {
    const schema = db.prepare('SELECT * FROM pragma_table_info(?)').all(name) as SchemaColumn[]
    const expected = schema.map((column) => ({
      name: column.name,
      type: column.type,
      nullable: column.notnull === 0 && column.pk === 0,
    }))
    const declared = Object.entries(table.columns).map(([column, { sqlType, nullable }]) => ({
      name: column,
      type: sqlType,
      nullable,
    }))
    expect(sortByName(declared)).toEqual(sortByName(expected))
    const key = schema.filter(({ pk }) => pk > 0).toSorted((a, b) => a.pk - b.pk)
    expect(table.key).toEqual(key.map((column) => column.name))
  },
)

/** Values that CHECK constraints require. */
const CHECKED: Readonly<Record<string, unknown>> = { only: 1, only_row: 1, visibility: 'private' }
/** Their INSERT has computed columns. */
const COMPUTED = ['boundaries']

test.each(tables.filter(({ name }) => !COMPUTED.includes(name)).map((table) => [table.name, table] as const))(
  'a row of %s is read as it was inserted',
  (name, table) => {
    fc.assert(
      fc.property(arbitraryRow(table.columns), (row) => {
        db.exec(`DELETE FROM ${name}`)
        table.insert(tx, row)
        const decoded = table.decode(db.prepare(`SELECT * FROM ${name}`).get())
        expect(pickInserted(table, decoded)).toStrictEqual(row)
      }),
      { numRuns: countRuns(20) },
    )
  },
)

/** The fields of a contract that a row does not have. */
type Missing<Contract, Row> = Exclude<keyof Contract, keyof Row | 'schema_version'>

test('the rows of objects with a contract have every field of the contract', () => {
  expectTypeOf<Missing<LearnSession, StoredSession>>().toEqualTypeOf<never>()
  expectTypeOf<Missing<SkillBundleProposal, StoredProposal>>().toEqualTypeOf<never>()
  expectTypeOf<Missing<ValidationRun, StoredRun>>().toEqualTypeOf<never>()
  expectTypeOf<Missing<ValidationStepResult, StoredStep>>().toEqualTypeOf<never>()
  expectTypeOf<Missing<AbilityAvailabilityEntry, AbilityRow>>().toEqualTypeOf<'proven' | 'reason_unproven'>()
  expectTypeOf<Missing<InstallSaga, SagaRow>>().toEqualTypeOf<never>()
  expectTypeOf<Missing<DeviceRecording, RecordingRow>>().toEqualTypeOf<'event_count'>()
  expectTypeOf<Missing<SkillRun, SkillRunRow>>().toEqualTypeOf<'execution_ids'>()
  expectTypeOf<Missing<Practice, PracticeRow>>().toEqualTypeOf<'proof' | 'sub_goals'>()
  expectTypeOf<Missing<AbilityRun, AbilityRunRow & RunOutcome>>().toEqualTypeOf<'items' | 'items_done' | 'parts'>()
  expectTypeOf<Missing<CapabilityHealth, HealthRow>>().toEqualTypeOf<'installed_state'>()
  expectTypeOf<Missing<ImportedSkillRecord, ImportRow>>().toEqualTypeOf<
    'retry_count' | 'retry_counts' | 'compatibility_report_ref'
  >()
})

function arbitraryRow(columns: Columns): fc.Arbitrary<Record<string, unknown>> {
  const inserted = Object.entries(columns).filter(([, column]) => column.inserted)
  const required = inserted.filter(([, column]) => !column.nullable).map(([name]) => name)
  const values = inserted.map(([name, column]) => [
    name,
    name in CHECKED ? fc.constant(CHECKED[name]) : arbitraryValue(column),
  ])
  return fc
    .record(Object.fromEntries(values) as Record<string, fc.Arbitrary<unknown>>, {
      requiredKeys: required,
    })
    .map((row) => ({ ...row }))
}

function arbitraryValue({ kind, sqlType }: AnyColumn): fc.Arbitrary<unknown> {
  if (kind === 'flag') return fc.boolean()
  // JSON has no negative zero.
  if (kind === 'json') return fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)))
  return sqlType === 'INTEGER' ? fc.maxSafeInteger() : fc.string({ unit: 'grapheme' })
}

function pickInserted({ columns }: AnyTable, row: object): object {
  return Object.fromEntries(Object.entries(row).filter(([name]) => columns[name]?.inserted))
}

function sortByName<T extends { readonly name: string }>(columns: readonly T[]): T[] {
  return columns.toSorted((a, b) => a.name.localeCompare(b.name))
}
