import type { AbilityRun } from '@apprentice/contracts/abilities/runs.ts'
import type { PageQuery } from '@apprentice/contracts/base/page.ts'
import type { PlannedAction } from '../../knowledge/verification/run-outcome.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { listOwnedPage } from '../db/owned-page.ts'
import { bindable, insertInto, present, type Row } from '../db/row.ts'

/** What has been learnt of a run so far. */
export type RunOutcome = Pick<
  AbilityRun,
  | 'acted'
  | 'verification'
  | 'checkpoints_reached'
  | 'trouble'
  | 'used_fallbacks'
  | 'dismissed'
  | 'drift'
  | 'outputs'
  | 'compat'
>

export interface AbilityRunRow extends Omit<AbilityRun, keyof RunOutcome | 'schema_version'> {
  readonly owner_user_id: string
  readonly project_id?: string | undefined
  readonly plan: readonly PlannedAction[]
  readonly outcome: RunOutcome
}

const columns = [
  'run_id',
  'execution_id',
  'owner_user_id',
  'ability_id',
  'version',
  'state',
  'dispatch_id',
  'project_id',
  'serial',
  'input_names',
  'plan',
  'outcome',
  'use_receipt_id',
  'created_at',
  'settled_at',
] as const
const blank = Object.fromEntries(columns.map((column) => [column, undefined]))

export function insertAbilityRun(tx: Tx, row: AbilityRunRow): void {
  sql(tx, insertInto('ability_runs', columns)).run(bound(row))
}

export function updateAbilityRun(tx: Tx, row: AbilityRunRow): void {
  sql(
    tx,
    `UPDATE ability_runs SET state = @state, outcome = @outcome, use_receipt_id = @use_receipt_id,
       settled_at = @settled_at WHERE run_id = @run_id`,
  ).run(bound(row))
}

export function findAbilityRun(reader: Reader, runId: string): AbilityRunRow | undefined {
  const row = sql(reader, 'SELECT * FROM ability_runs WHERE run_id = ?').get(runId)
  return row === undefined ? undefined : toRun(row)
}

export function findRunOfExecution(reader: Reader, executionId: string): AbilityRunRow | undefined {
  const row = sql(reader, 'SELECT * FROM ability_runs WHERE execution_id = ?').get(executionId)
  return row === undefined ? undefined : toRun(row)
}

export function listAbilityRuns(
  reader: Reader,
  { owner, ability_id }: { owner: string; ability_id: string },
  query: PageQuery,
): { runs: AbilityRunRow[]; total: number } {
  const { rows, total } = listOwnedPage(
    reader,
    {
      table: 'ability_runs',
      order: 'created_at DESC, run_id DESC',
      owner,
      filter: { ability_id },
    },
    query,
  )
  return { runs: rows.map(toRun), total }
}

function bound(row: AbilityRunRow): Row {
  const { input_names, plan, outcome } = row
  return bindable({
    ...blank,
    ...row,
    input_names: JSON.stringify(input_names),
    plan: JSON.stringify(plan),
    outcome: JSON.stringify(outcome),
  })
}

function toRun(row: unknown): AbilityRunRow {
  const fields = present(row as Row)
  return {
    ...fields,
    input_names: JSON.parse(String(fields['input_names'])),
    plan: JSON.parse(String(fields['plan'])),
    // Runs of earlier days say nothing of these.
    outcome: { drift: [], outputs: {}, ...JSON.parse(String(fields['outcome'])) },
  } as unknown as AbilityRunRow
}
