import type { ValidationStepResult } from '@apprentice/contracts/learn/validation.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { bindable, insertInto, present, type Row } from '../db/row.ts'

/** A step with whether the run is incomplete without it. */
export interface StoredStep extends ValidationStepResult {
  readonly required: boolean
}

const columns = [
  'validation_run_id',
  'test_case_id',
  'label',
  'result',
  'required',
  'details',
  'created_at',
] as const

/** False when the case was already told of. */
export function insertStep(tx: Tx, { schema_version: _, ...step }: StoredStep): boolean {
  const text = `${insertInto('validation_steps', columns)} ON CONFLICT DO NOTHING`
  return sql(tx, text).run(bindable({ details: undefined, ...step })).changes === 1
}

/** In the order they were done. */
export function listSteps(reader: Reader, runIds: readonly string[]): StoredStep[] {
  return sql(
    reader,
    `SELECT * FROM validation_steps
      WHERE validation_run_id IN (SELECT value FROM json_each(?)) ORDER BY position`,
  )
    .all(JSON.stringify(runIds))
    .map(toStep)
}

export function listStepsSince(
  reader: Reader,
  { after, limit }: { after: number; limit: number },
): { position: number; entry: ValidationStepResult }[] {
  return sql(reader, 'SELECT * FROM validation_steps WHERE position > ? ORDER BY position LIMIT ?')
    .all(after, limit)
    .map((row) => ({
      position: Number((row as Row)['position']),
      entry: publicStep(toStep(row)),
    }))
}

/** The part a client may know. */
export function publicStep({ required: _, ...known }: StoredStep): ValidationStepResult {
  return known
}

function toStep(row: unknown): StoredStep {
  const { position: _, ...fields } = present(row as Row)
  return {
    ...fields,
    required: fields['required'] === 1,
    schema_version: 1,
  } as unknown as StoredStep
}
