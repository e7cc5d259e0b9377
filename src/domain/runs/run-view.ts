import type { AbilityRun } from '@apprentice/contracts/abilities/runs.ts'
import { Failure } from '../../failure/failure.ts'
import { type AbilityRunRow, findAbilityRun } from '../../store/runs/ability-runs.ts'
import type { Reader } from '../../store/db/db.ts'

/** Throws ABILITY_RUN_NOT_FOUND also for runs of other users. */
export function getOwnRun(reader: Reader, runId: string, userId: string): AbilityRunRow {
  const run = findAbilityRun(reader, runId)
  if (run === undefined || run.owner_user_id !== userId) {
    throw new Failure('ABILITY_RUN_NOT_FOUND', `No run ${runId}.`)
  }
  return run
}

export function toPublicRun(row: AbilityRunRow): AbilityRun {
  const { owner_user_id: _owner, project_id: _project, plan: _plan, outcome, ...fields } = row
  return { ...fields, ...outcome, schema_version: 1 }
}

export const isSettled = ({ settled_at }: AbilityRunRow): boolean => settled_at !== undefined
