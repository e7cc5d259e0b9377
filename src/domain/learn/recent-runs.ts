import type { RecentRun } from '@apprentice/contracts/abilities/learn-from.ts'
import type { PageQuery } from '@apprentice/contracts/base/page.ts'
import { findRunByExecution } from '../../store/runs/ability-runs.ts'
import type { Reader } from '../../store/db/db.ts'
import { type ExecutionSteps, listOwnExecutionSteps } from '../../store/devices/execution-steps.ts'
import { findExecution } from '../../store/devices/executions.ts'
import { findGoal } from './learn-from.ts'

/** Past executions with stored steps, for a picker. */
export function listRecentExecutions(
  reader: Reader,
  user: string,
  query: PageQuery,
): { runs: RecentRun[]; total: number } {
  const { executions: stored, total } = listOwnExecutionSteps(reader, user, query)
  return { runs: stored.flatMap((one) => toRecentRun(reader, one)), total }
}

function toRecentRun(reader: Reader, { execution_id, steps, kept_at }: ExecutionSteps): RecentRun[] {
  const execution = findExecution(reader, execution_id)
  if (execution === undefined) return []
  const run = findRunByExecution(reader, execution_id)
  const goal = findGoal(reader, execution, run)
  return [
    {
      execution_id,
      ...(run === undefined ? {} : { run_id: run.run_id, ability_id: run.ability_id }),
      ...(goal === '' ? {} : { goal }),
      serial: execution.serial,
      succeeded: run === undefined ? execution.state === 'succeeded' : run.state === 'success',
      step_labels: steps.map(({ action_label }) => action_label),
      kept_at,
    },
  ]
}
