import type { ValidationStepResult } from '@apprentice/contracts/learn/validation.ts'
import { columns, flag, integer, text } from '../db/columns.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { listSince, type Positioned, type Span } from '../db/queries.ts'
import { defineTable } from '../db/table.ts'

export const validationSteps = defineTable(
  'validation_steps',
  {
    position: integer().notInserted(),
    ...columns(text(), 'validation_run_id', 'test_case_id', 'label'),
    result: text<ValidationStepResult['result']>(),
    /** Whether the run is incomplete without this step. */
    required: flag(),
    details: text().optional(),
    created_at: text(),
  },
  { key: ['position'], constants: { schema_version: 1 } },
)

const validationStep = validationSteps.without('position')
const stepResult = validationSteps.without('position', 'required')
export type StoredStep = ReturnType<typeof validationStep.decode>

/** Returns false if the run already has a result for this test case. */
export function insertStep(tx: Tx, step: StoredStep): boolean {
  return validationSteps.insertIfAbsent(tx, step)
}

/** In the order of their execution. */
export function listSteps(reader: Reader, runIds: readonly string[]): StoredStep[] {
  return sql(
    reader,
    `SELECT * FROM validation_steps
      WHERE validation_run_id IN (SELECT value FROM json_each(?)) ORDER BY position`,
  )
    .all(JSON.stringify(runIds))
    .map(validationStep.decode)
}

export function listStepsSince(reader: Reader, span: Span): Positioned<ValidationStepResult>[] {
  return listSince(reader, validationSteps.name, stepResult, span)
}

/** The fields that clients see. */
export function toPublicStep({ required: _, ...fields }: StoredStep): ValidationStepResult {
  return fields
}
