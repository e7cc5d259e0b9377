import type { ValidationRun } from '@apprentice/contracts/learn/validation.ts'
import type { PageQuery } from '@apprentice/contracts/base/page.ts'
import { integer, json, list, text } from '../db/columns.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { listPage, listSince, type Positioned, type Span } from '../db/queries.ts'
import { defineTable, type RowOf } from '../db/table.ts'

/** The fields of the contract. */
const publicColumns = {
  validation_run_id: text(),
  proposal_id: text(),
  run_kind: text<ValidationRun['run_kind']>(),
  run_label: text().optional(),
  draft_hash: text().optional(),
  started_at: text(),
  completed_at: text().optional(),
  overall_result: text<ValidationRun['overall_result']>(),
  reason: text().optional(),
  result_refs: list(),
}

export const validationRuns = defineTable(
  'validation_runs',
  {
    ...publicColumns,
    owner_user_id: text(),
    selected_tests: list(),
    serial: text().optional(),
    /** The input values of the run. They are deleted when it completes. */
    inputs: json<Readonly<Record<string, unknown>>>().optional(),
    /** The input values that undo a rehearsal. They are deleted when the run completes. */
    cleanup_inputs: json<Readonly<Record<string, unknown>>>().optional(),
    /** The execution of a rehearsal or a canary. */
    execution_id: text().optional(),
  },
  { key: ['validation_run_id'], constants: { schema_version: 1 } },
)

/** Each run as it was when it started and when it completed. The last entry of a run counts. */
export const validationRunLog = defineTable(
  'validation_run_log',
  {
    position: integer().notInserted(),
    validation_run_id: text(),
    body: json<ValidationRun>(),
  },
  { key: ['position'] },
)

/** A run with the fields that clients do not see. */
export type StoredRun = RowOf<typeof validationRuns>

export function insertRun(tx: Tx, run: StoredRun): void {
  validationRuns.insert(tx, run)
  appendToLog(tx, run)
}

/** For a change that does not complete the run. */
export function updateRun(tx: Tx, run: StoredRun): void {
  validationRuns.update(tx, run)
}

export function completeRun(tx: Tx, run: StoredRun & { completed_at: string }): void {
  updateRun(tx, run)
  appendToLog(tx, run)
}

export function findRun(reader: Reader, runId: string): StoredRun | undefined {
  return validationRuns.find(reader, runId)
}

export function findLatestRun(reader: Reader, proposalId: string): StoredRun | undefined {
  const row = sql(
    reader,
    `SELECT * FROM validation_runs WHERE proposal_id = ? ORDER BY started_at DESC, rowid DESC LIMIT 1`,
  ).get(proposalId)
  return validationRuns.decodeOptional(row)
}

/** The uncompleted runs of all users. */
export function listOpenRuns(reader: Reader): StoredRun[] {
  return sql(reader, 'SELECT * FROM validation_runs WHERE completed_at IS NULL ORDER BY rowid')
    .all()
    .map(validationRuns.decode)
}

export function listRuns(reader: Reader, proposalId: string, query: PageQuery): { runs: StoredRun[]; total: number } {
  const from = 'validation_runs WHERE proposal_id = @proposal_id'
  const order = 'started_at DESC, rowid DESC'
  const { rows, total } = listPage(reader, { from, order }, { proposal_id: proposalId }, query)
  return { runs: rows.map(validationRuns.decode), total }
}

export function listRunLogSince(reader: Reader, span: Span): Positioned<object>[] {
  return listSince(reader, validationRunLog.name, validationRunLog, span).map(({ position, entry }) => ({
    position,
    entry: entry.body,
  }))
}

const pickPublic = validationRuns.picker([
  ...(Object.keys(publicColumns) as (keyof typeof publicColumns)[]),
  'schema_version',
])

/** The fields that clients see. */
export function toPublicRun(run: StoredRun): ValidationRun {
  return pickPublic(run)
}

function appendToLog(tx: Tx, run: StoredRun): void {
  const { validation_run_id } = run
  validationRunLog.insert(tx, { validation_run_id, body: toPublicRun(run) })
}
