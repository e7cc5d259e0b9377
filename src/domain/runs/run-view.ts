import type { AbilityRun } from '@apprentice/contracts/abilities/runs.ts'
import { Failure } from '../../failure/failure.ts'
import { type AbilityRunRow, findAbilityRun } from '../../store/runs/ability-runs.ts'
import type { Reader } from '../../store/db/db.ts'
import { countRunItems, listRunItems } from '../../store/runs/run-items.ts'
import { listPartSummaries } from '../../store/runs/run-parts.ts'

/** Throws ABILITY_RUN_NOT_FOUND also for runs of other users. */
export function getOwnRun(reader: Reader, runId: string, userId: string): AbilityRunRow {
  const run = findAbilityRun(reader, runId)
  if (run === undefined || run.owner_user_id !== userId) {
    throw new Failure('ABILITY_RUN_NOT_FOUND', `No run ${runId}.`)
  }
  return run
}

/** A run as it appears in a list. */
export function toPublicRun(reader: Reader, row: AbilityRunRow): AbilityRun {
  const {
    owner_user_id: _owner,
    project_id: _project,
    deadline_at: _deadline,
    cancel_requested_at: _cancel,
    lease_id: _lease,
    outcome,
    serial,
    execution_id,
    ...fields
  } = row
  const isList = row.items_total !== undefined
  return {
    ...fields,
    // A scene has neither.
    ...(row.scene_run_id === undefined && { serial, execution_id }),
    ...outcome,
    ...(isList && { items_done: countRunItems(reader, row.run_id, 'success') }),
    schema_version: 1,
  }
}

/** A run with its items and executions. */
export function toDetailedRun(reader: Reader, row: AbilityRunRow): AbilityRun {
  const isList = row.items_total !== undefined
  const items = isList ? listRunItems(reader, row.run_id) : []
  return {
    ...toPublicRun(reader, row),
    ...(isList && { items: items.map(({ item, state, outcome }) => ({ item, state, ...outcome })) }),
    parts: listPartSummaries(reader, row.run_id).map(({ item, call, ...part }) => ({
      ...part,
      ...(isList && { item }),
      ...(call !== '' && { call }),
    })),
  }
}

export const isSettled = ({ settled_at }: AbilityRunRow): boolean => settled_at !== undefined
