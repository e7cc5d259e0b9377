import type { PageQuery } from '@apprentice/contracts/base/page.ts'
import type { SkillRun, SkillRunContainment, SkillRunOutput, SkillRunState } from '@apprentice/contracts/skills/runs.ts'
import { flag, integer, json, list, text } from '../db/columns.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { listOwnedPage, listStrings, readNumber } from '../db/queries.ts'
import { defineTable, type RowOf } from '../db/table.ts'

/** Runs of skill scripts. */
export const skillRuns = defineTable(
  'skill_runs',
  {
    run_id: text(),
    owner_user_id: text().immutable(),
    skill_id: text().immutable(),
    kind: text<SkillRun['kind']>().immutable(),
    state: text<SkillRunState>(),
    serial: text().optional().immutable(),
    arguments: list().immutable(),
    timeout_ms: integer().immutable(),
    expect_contains: text().optional().immutable(),
    runtime_verification: flag().immutable(),
    operator_package: text().immutable(),
    /** The lease that the run holds on its device. Absent if the owner has a lease already. */
    lease_id: text().optional(),
    outcome: json<NonNullable<SkillRun['outcome']>>().optional(),
    stdout: json<SkillRunOutput>(),
    stderr: json<SkillRunOutput>(),
    log_folder: text().optional(),
    containment: text<SkillRunContainment>().optional(),
    created_at: text().immutable(),
    started_at: text().optional(),
    settled_at: text().optional(),
  },
  { key: ['run_id'] },
)

/** The executions that a script requested, in order. */
export const skillRunCalls = defineTable(
  'skill_run_calls',
  { run_id: text(), position: integer(), execution_id: text() },
  { key: ['run_id', 'position'] },
)

export type SkillRunRow = RowOf<typeof skillRuns>

export const NO_OUTPUT: SkillRunOutput = { text: '', bytes: 0, dropped_bytes: 0 }

export function insertSkillRun(tx: Tx, row: SkillRunRow): void {
  skillRuns.insert(tx, row)
}

export function updateSkillRun(tx: Tx, row: SkillRunRow): void {
  skillRuns.update(tx, row)
}

export function findSkillRun(reader: Reader, runId: string): SkillRunRow | undefined {
  return skillRuns.find(reader, runId)
}

export function listSkillRuns(
  reader: Reader,
  { owner, skill_id, state }: { owner: string; skill_id: string; state?: SkillRunState | undefined },
  query: PageQuery,
): { runs: SkillRunRow[]; total: number } {
  const order = 'created_at DESC, run_id DESC'
  const listing = { table: skillRuns.name, order, owner, filter: { skill_id, state } }
  const { rows, total } = listOwnedPage(reader, listing, query)
  return { runs: rows.map(skillRuns.decode), total }
}

/** At start, these are the runs that a stopped daemon interrupted. */
export function listStartedSkillRuns(reader: Reader): SkillRunRow[] {
  return sql(reader, `SELECT * FROM skill_runs WHERE state = 'running' AND settled_at IS NULL ORDER BY created_at`)
    .all()
    .map(skillRuns.decode)
}

/** The run after which `later` runs were settled. */
export function findSkillRunSettledBefore(reader: Reader, later: number): SkillRunRow | undefined {
  const row = sql(
    reader,
    `SELECT * FROM skill_runs WHERE settled_at IS NOT NULL
      ORDER BY settled_at DESC LIMIT 1 OFFSET ?`,
  ).get(later)
  return skillRuns.decodeOptional(row)
}

/** Deletes the output events of a run. */
export function deleteOutputEvents(tx: Tx, subject: string): void {
  sql(
    tx,
    `DELETE FROM events
      WHERE subject = ? AND stream_seq IS NOT NULL AND kind = 'skill.run.printed'`,
  ).run(subject)
}

/** Returns the position of the call in its run. */
export function insertSkillRunCall(tx: Tx, runId: string, executionId: string): number {
  const position = readNumber(tx, 'SELECT count(*) + 1 FROM skill_run_calls WHERE run_id = ?', runId)
  skillRunCalls.insert(tx, { run_id: runId, position, execution_id: executionId })
  return position
}

export function listSkillRunCalls(reader: Reader, runId: string): string[] {
  return listStrings(reader, 'SELECT execution_id FROM skill_run_calls WHERE run_id = ? ORDER BY position', runId)
}
