import type { AbilityRun } from '@apprentice/contracts/abilities/runs.ts'
import type { OnItemFailure } from '@apprentice/contracts/abilities/run-parts.ts'
import type { PageQuery } from '@apprentice/contracts/base/page.ts'
import { columns, integer, json, list, text } from '../db/columns.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { listOwnedPage } from '../db/queries.ts'
import { defineTable, type RowOf } from '../db/table.ts'

/** The outcome of a run as far as it is known. */
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

/** Runs of abilities. `execution_id` is the first execution; `ability_run_parts` lists all. */
export const abilityRuns = defineTable(
  'ability_runs',
  {
    run_id: text(),
    ...columns(text().immutable(), 'execution_id', 'owner_user_id', 'ability_id'),
    version: integer().immutable(),
    state: text<AbilityRun['state']>(),
    dispatch_id: text().optional().immutable(),
    project_id: text().optional().immutable(),
    serial: text().immutable(),
    /** The names of the given inputs. Their values are not stored. */
    input_names: list().immutable(),
    outcome: json<RunOutcome>(),
    use_receipt_id: text().optional(),
    created_at: text().immutable(),
    settled_at: text().optional(),
    timeout_ms: integer().optional().immutable(),
    deadline_at: text().optional().immutable(),
    /** The hash of the recipe that was compiled. */
    content_hash: text().optional().immutable(),
    /** The number of items of a run over a list. */
    items_total: integer().optional().immutable(),
    on_item_failure: text<OnItemFailure>().optional().immutable(),
    cancel_requested_at: text().optional(),
    /** The lease that the run took itself. */
    lease_id: text().optional(),
    /** The run of a scene. `execution_id` is then the id of its job, and `serial` says that it has no device. */
    scene_run_id: text().optional().immutable(),
  },
  { key: ['run_id'] },
)

export type AbilityRunRow = RowOf<typeof abilityRuns>

export function insertAbilityRun(tx: Tx, row: AbilityRunRow): void {
  abilityRuns.insert(tx, row)
}

export function updateAbilityRun(tx: Tx, row: AbilityRunRow): void {
  abilityRuns.update(tx, row)
}

export function findAbilityRun(reader: Reader, runId: string): AbilityRunRow | undefined {
  const row = abilityRuns.find(reader, runId)
  return row && withDefaults(row)
}

/** The run that an execution belongs to. */
export function findRunByExecution(reader: Reader, executionId: string): AbilityRunRow | undefined {
  const row = sql(
    reader,
    `SELECT * FROM ability_runs
      WHERE run_id = (SELECT run_id FROM ability_run_parts WHERE execution_id = ?)`,
  ).get(executionId)
  return row === undefined ? undefined : withDefaults(abilityRuns.decode(row))
}

interface RunFilter {
  readonly owner: string
  readonly ability_id?: string | undefined
  readonly state?: AbilityRun['state'] | undefined
}

/** Newest first. */
export function listAbilityRuns(
  reader: Reader,
  { owner, ability_id, state }: RunFilter,
  query: PageQuery,
): { runs: AbilityRunRow[]; total: number } {
  const order = 'created_at DESC, run_id DESC'
  const listing = { table: abilityRuns.name, order, owner, filter: { ability_id, state } }
  const { rows, total } = listOwnedPage(reader, listing, query)
  return { runs: rows.map((row) => withDefaults(abilityRuns.decode(row))), total }
}

/** Outcomes stored by earlier versions lack `drift` and `outputs`. */
function withDefaults(row: AbilityRunRow): AbilityRunRow {
  const defaults: Partial<RunOutcome> = { drift: [], outputs: {} }
  return { ...row, outcome: { ...defaults, ...row.outcome } }
}
