import type { RunItemState } from '@apprentice/contracts/abilities/run-parts.ts'
import { integer, json, text } from '../db/columns.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { readNumber } from '../db/queries.ts'
import { defineTable, type RowOf } from '../db/table.ts'
import type { RunOutcome } from './ability-runs.ts'

/** The items of runs over a list of inputs. */
export const runItems = defineTable(
  'ability_run_items',
  {
    run_id: text(),
    item: integer(),
    state: text<RunItemState>(),
    outcome: json<RunOutcome>(),
  },
  { key: ['run_id', 'item'] },
)

export type RunItemRow = RowOf<typeof runItems>

export function insertRunItem(tx: Tx, row: RunItemRow): void {
  runItems.insert(tx, row)
}

export function updateRunItem(tx: Tx, row: RunItemRow): void {
  runItems.update(tx, row)
}

export function findRunItem(reader: Reader, runId: string, item: number): RunItemRow | undefined {
  return runItems.find(reader, runId, item)
}

/** In order. */
export function listRunItems(reader: Reader, runId: string): RunItemRow[] {
  return sql(reader, 'SELECT * FROM ability_run_items WHERE run_id = ? ORDER BY item').all(runId).map(runItems.decode)
}

/** The number of items in this state. */
export function countRunItems(reader: Reader, runId: string, state: RunItemState): number {
  return readNumber(reader, 'SELECT count(*) FROM ability_run_items WHERE run_id = ? AND state = ?', runId, state)
}
