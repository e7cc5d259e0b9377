import type { Execution } from '@apprentice/contracts/devices/execution.ts'
import type { ExecutionState } from '@apprentice/contracts/devices/executions.ts'
import type { RecipeOutput } from '@apprentice/contracts/recipes/recipe.ts'
import type { PlannedAction } from '../../knowledge/verification/run-outcome.ts'
import { columns, integer, json, text } from '../db/columns.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { readNumber } from '../db/queries.ts'
import { defineTable, type RowOf } from '../db/table.ts'

/** The executions of ability runs in order. */
export const runParts = defineTable(
  'ability_run_parts',
  {
    run_id: text(),
    position: integer(),
    /** The item of a run over a list; 0 for other runs. */
    item: integer().immutable(),
    ...columns(text().immutable(), 'call', 'ability_id'),
    version: integer().immutable(),
    content_hash: text().immutable(),
    plan: json<readonly PlannedAction[]>().immutable(),
    /** The outputs of the run that this part reads. Absent in runs of earlier versions: those of the recipe. */
    outputs: json<readonly RecipeOutput[]>().optional().immutable(),
    done_at: integer().optional().immutable(),
    /** Absent once the execution is queued or will not be. */
    payload: json<Execution>().optional(),
    execution_id: text().optional(),
  },
  { key: ['run_id', 'position'] },
)

export type RunPartRow = RowOf<typeof runParts>

export function insertRunPart(tx: Tx, row: RunPartRow): void {
  runParts.insert(tx, row)
}

export function updateRunPart(tx: Tx, row: RunPartRow): void {
  runParts.update(tx, row)
}

export function findRunPart(reader: Reader, runId: string, position: number): RunPartRow | undefined {
  return runParts.find(reader, runId, position)
}

export function findPartByExecution(reader: Reader, executionId: string): RunPartRow | undefined {
  const row = sql(reader, 'SELECT * FROM ability_run_parts WHERE execution_id = ?').get(executionId)
  return runParts.decodeOptional(row)
}

/** The parts of one item in order. */
export function listItemParts(reader: Reader, runId: string, item: number): RunPartRow[] {
  return sql(reader, 'SELECT * FROM ability_run_parts WHERE run_id = ? AND item = ? ORDER BY position')
    .all(runId, item)
    .map(runParts.decode)
}

/** The part that was queued last. */
export function findLatestPart(reader: Reader, runId: string): RunPartRow | undefined {
  const row = sql(
    reader,
    `SELECT * FROM ability_run_parts WHERE run_id = ? AND execution_id IS NOT NULL
      ORDER BY position DESC LIMIT 1`,
  ).get(runId)
  return runParts.decodeOptional(row)
}

export function countRunParts(reader: Reader, runId: string): number {
  return readNumber(reader, 'SELECT count(*) FROM ability_run_parts WHERE run_id = ?', runId)
}

/** Removes the payloads of parts that will not be queued: they contain the values of inputs. */
export function clearPartPayloads(tx: Tx, runId: string): void {
  sql(tx, 'UPDATE ability_run_parts SET payload = NULL WHERE run_id = ? AND payload IS NOT NULL').run(runId)
}

const partSummary = runParts.only('position', 'item', 'call', 'ability_id', 'version', 'content_hash', 'execution_id')

export type RunPartSummary = ReturnType<typeof partSummary.decode> & {
  readonly actions: number
  readonly state?: ExecutionState
}

/** The parts of a run without their plans and payloads. */
export function listPartSummaries(reader: Reader, runId: string): RunPartSummary[] {
  return sql(
    reader,
    `SELECT position, item, call, ability_id, version, content_hash, p.execution_id,
            json_array_length(plan) AS actions, e.state AS execution_state
       FROM ability_run_parts p LEFT JOIN executions e ON e.execution_id = p.execution_id
      WHERE run_id = ? ORDER BY position`,
  )
    .all(runId)
    .map((row) => {
      const { actions, execution_state: state } = row as { actions: number; execution_state: ExecutionState | null }
      return { ...partSummary.decode(row), actions, ...(state === null ? {} : { state }) }
    })
}
