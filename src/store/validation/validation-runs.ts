import { ValidationRun } from '@apprentice/contracts/learn/validation.ts'
import type { PageQuery } from '@apprentice/contracts/base/page.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { bindable, insertInto, present, type Row } from '../db/row.ts'

/** A run with what only the daemon needs to know of it. */
export interface StoredRun extends ValidationRun {
  owner_user_id: string
  selected_tests: string[]
  serial?: string | undefined
  /** Values given for this run; forgotten when it ends. */
  inputs?: Readonly<Record<string, unknown>> | undefined
  execution_id?: string | undefined
}

const publicColumns = Object.keys(ValidationRun.shape).filter((name) => name !== 'schema_version')
const ownColumns = ['owner_user_id', 'selected_tests', 'serial', 'inputs', 'execution_id'] as const
const columns = [...publicColumns, ...ownColumns]
const blank = Object.fromEntries(columns.map((column) => [column, undefined]))

export function insertRun(tx: Tx, run: StoredRun): void {
  sql(tx, insertInto('validation_runs', columns)).run(toRow(run))
  appendToLog(tx, run)
}

const updateText = `UPDATE validation_runs SET ${columns.map((c) => `${c} = @${c}`).join(', ')}
  WHERE validation_run_id = @validation_run_id`

/** A change that is no end of the run. */
export function updateRun(tx: Tx, run: StoredRun): void {
  sql(tx, updateText).run(toRow(run))
}

export function updateRunEnded(tx: Tx, run: StoredRun & { completed_at: string }): void {
  updateRun(tx, run)
  appendToLog(tx, run)
}

export function findRun(reader: Reader, runId: string): StoredRun | undefined {
  const row = sql(reader, 'SELECT * FROM validation_runs WHERE validation_run_id = ?').get(runId)
  return row === undefined ? undefined : toRun(row)
}

export function findLatestRun(reader: Reader, proposalId: string): StoredRun | undefined {
  const row = sql(
    reader,
    `SELECT * FROM validation_runs WHERE proposal_id = ? ORDER BY started_at DESC, rowid DESC LIMIT 1`,
  ).get(proposalId)
  return row === undefined ? undefined : toRun(row)
}

/** Runs of anybody that are under way. */
export function listOpenRuns(reader: Reader): StoredRun[] {
  return sql(reader, 'SELECT * FROM validation_runs WHERE completed_at IS NULL ORDER BY rowid')
    .all()
    .map(toRun)
}

export function listRuns(
  reader: Reader,
  proposalId: string,
  { page, page_size }: PageQuery,
): { runs: StoredRun[]; total: number } {
  const rows = sql(
    reader,
    `SELECT * FROM validation_runs WHERE proposal_id = ?
      ORDER BY started_at DESC, rowid DESC LIMIT ? OFFSET ?`,
  ).all(proposalId, page_size, (page - 1) * page_size)
  const count = sql(
    reader,
    'SELECT count(*) AS total FROM validation_runs WHERE proposal_id = ?',
  ).get(proposalId)
  return { runs: rows.map(toRun), total: (count as { total: number }).total }
}

/** What became of runs, a line for each beginning and each end. */
export function listRunLogSince(
  reader: Reader,
  { after, limit }: { after: number; limit: number },
): { position: number; entry: object }[] {
  return sql(
    reader,
    'SELECT * FROM validation_run_log WHERE position > ? ORDER BY position LIMIT ?',
  )
    .all(after, limit)
    .map((row) => ({
      position: Number((row as Row)['position']),
      entry: JSON.parse(String((row as Row)['body'])) as object,
    }))
}

/** The part a client may know. */
export function publicRun(run: StoredRun): ValidationRun {
  const known: Partial<StoredRun> = { ...run }
  for (const name of ownColumns) delete known[name]
  return known as ValidationRun
}

function appendToLog(tx: Tx, run: StoredRun): void {
  sql(tx, 'INSERT INTO validation_run_log (validation_run_id, body) VALUES (?, ?)').run(
    run.validation_run_id,
    JSON.stringify(publicRun(run)),
  )
}

function toRow({ schema_version: _, ...run }: StoredRun): Row {
  return bindable({
    ...blank,
    ...run,
    result_refs: JSON.stringify(run.result_refs),
    selected_tests: JSON.stringify(run.selected_tests),
    inputs: run.inputs === undefined ? undefined : JSON.stringify(run.inputs),
  })
}

function toRun(row: unknown): StoredRun {
  const fields = present(row as Row)
  return {
    ...fields,
    result_refs: JSON.parse(String(fields['result_refs'])),
    selected_tests: JSON.parse(String(fields['selected_tests'])),
    ...(typeof fields['inputs'] === 'string' ? { inputs: JSON.parse(fields['inputs']) } : {}),
    schema_version: 1,
  } as unknown as StoredRun
}
