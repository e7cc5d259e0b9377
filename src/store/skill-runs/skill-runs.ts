import type { PageQuery } from '@apprentice/contracts/base/page.ts'
import type { SkillRun, SkillRunOutput, SkillRunState } from '@apprentice/contracts/skills/runs.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { listOwnedPage } from '../db/owned-page.ts'
import { bindable, blankRow, insertInto, present, type Row } from '../db/row.ts'

export interface SkillRunRow extends Omit<SkillRun, 'execution_ids' | 'schema_version'> {
  readonly owner_user_id: string
  readonly operator_package: string
  readonly lease_id?: string | undefined
}

const columns = [
  'run_id',
  'owner_user_id',
  'skill_id',
  'kind',
  'state',
  'serial',
  'arguments',
  'timeout_ms',
  'expect_contains',
  'runtime_verification',
  'operator_package',
  'lease_id',
  'outcome',
  'stdout',
  'stderr',
  'log_folder',
  'created_at',
  'started_at',
  'settled_at',
] as const
const json = ['arguments', 'outcome', 'stdout', 'stderr'] as const
const blank = blankRow(columns)

export const nothingPrinted: SkillRunOutput = { text: '', bytes: 0, dropped_bytes: 0 }

export function insertSkillRun(tx: Tx, row: SkillRunRow): void {
  sql(tx, insertInto('skill_runs', columns)).run(bound(row))
}

export function updateSkillRun(tx: Tx, row: SkillRunRow): void {
  sql(
    tx,
    `UPDATE skill_runs SET state = @state, lease_id = @lease_id, outcome = @outcome,
       stdout = @stdout, stderr = @stderr, log_folder = @log_folder, started_at = @started_at,
       settled_at = @settled_at WHERE run_id = @run_id`,
  ).run(bound(row))
}

export function findSkillRun(reader: Reader, runId: string): SkillRunRow | undefined {
  const row = sql(reader, 'SELECT * FROM skill_runs WHERE run_id = ?').get(runId)
  return row === undefined ? undefined : toRun(row)
}

export function listSkillRuns(
  reader: Reader,
  {
    owner,
    skill_id,
    state,
  }: { owner: string; skill_id: string; state?: SkillRunState | undefined },
  query: PageQuery,
): { runs: SkillRunRow[]; total: number } {
  const order = 'created_at DESC, run_id DESC'
  const filter = { skill_id, state }
  const { rows, total } = listOwnedPage(
    reader,
    { table: 'skill_runs', order, owner, filter },
    query,
  )
  return { runs: rows.map(toRun), total }
}

/** Those a daemon before this one left in the middle. */
export function listStartedSkillRuns(reader: Reader): SkillRunRow[] {
  return sql(
    reader,
    `SELECT * FROM skill_runs WHERE state = 'running' AND settled_at IS NULL ORDER BY created_at`,
  )
    .all()
    .map(toRun)
}

/** The run that settled this many runs ago. */
export function findSkillRunSettledBefore(reader: Reader, later: number): SkillRunRow | undefined {
  const row = sql(
    reader,
    `SELECT * FROM skill_runs WHERE settled_at IS NOT NULL
      ORDER BY settled_at DESC LIMIT 1 OFFSET ?`,
  ).get(later)
  return row === undefined ? undefined : toRun(row)
}

/** Forgets what those who followed a run were told of its output. */
export function deletePrinted(tx: Tx, subject: string): void {
  sql(
    tx,
    `DELETE FROM events
      WHERE subject = ? AND stream_seq IS NOT NULL AND kind = 'skill.run.printed'`,
  ).run(subject)
}

export function insertSkillRunCall(tx: Tx, runId: string, executionId: string): number {
  const { position } = sql(
    tx,
    'SELECT count(*) + 1 AS position FROM skill_run_calls WHERE run_id = ?',
  ).get(runId) as { position: number }
  sql(tx, 'INSERT INTO skill_run_calls (run_id, position, execution_id) VALUES (?, ?, ?)').run(
    runId,
    position,
    executionId,
  )
  return position
}

export function listSkillRunCalls(reader: Reader, runId: string): string[] {
  return sql(reader, 'SELECT execution_id FROM skill_run_calls WHERE run_id = ? ORDER BY position')
    .all(runId)
    .map((row) => (row as { execution_id: string }).execution_id)
}

function bound(row: SkillRunRow): Row {
  const texts = Object.fromEntries(
    json.map((name) => [name, row[name] === undefined ? undefined : JSON.stringify(row[name])]),
  )
  return bindable({ ...blank, ...row, ...texts })
}

function toRun(row: unknown): SkillRunRow {
  const fields = present(row as Row)
  const read = Object.fromEntries(
    json.filter((name) => name in fields).map((name) => [name, JSON.parse(String(fields[name]))]),
  )
  const runtime_verification = fields['runtime_verification'] === 1
  return { ...fields, ...read, runtime_verification } as unknown as SkillRunRow
}
