import type { AbilityRun } from '@apprentice/contracts/abilities/runs.ts'
import type { StepResult } from '@apprentice/contracts/devices/execution.ts'
import {
  decideRunState,
  describeFailure,
  type PlannedAction,
  readVerifications,
  type SettledExecution,
} from '../../knowledge/verification/run-outcome.ts'
import type { Reader } from '../../store/db/db.ts'
import { type ExecutionRow, findExecution } from '../../store/devices/executions.ts'
import type { RunOutcome } from '../../store/runs/ability-runs.ts'
import { listItemParts, type RunPartRow } from '../../store/runs/run-parts.ts'

export const EMPTY_OUTCOME: RunOutcome = {
  acted: false,
  verification: [],
  checkpoints_reached: [],
  used_fallbacks: [],
  dismissed: [],
  drift: [],
  outputs: {},
}

/** How the last execution of a run ended, or why the next one was not queued. */
export type RunEnding = Omit<SettledExecution, 'step_results'>

export const toRunEnding = ({ state, envelope }: ExecutionRow): RunEnding => ({
  state,
  error_code: envelope?.errorCode ?? undefined,
  error: envelope?.error ?? undefined,
})

export const readResults = ({ envelope, step_results }: ExecutionRow): readonly StepResult[] =>
  envelope?.stepResults ?? step_results

/** The id of a step or checkpoint of a part in the run: `<call>/<id>` for a called ability. */
export const qualifyId = ({ call }: Pick<RunPartRow, 'call'>, id: string): string =>
  call === '' ? id : `${call}/${id}`

/** One execution of a run with its results. */
export interface EndedPart {
  readonly part: RunPartRow
  readonly execution: ExecutionRow
}

/** The parts of one item that were executed, in order. */
export function listEndedParts(reader: Reader, parts: readonly RunPartRow[]): EndedPart[] {
  return parts.flatMap((part) => {
    const execution = part.execution_id === undefined ? undefined : findExecution(reader, part.execution_id)
    return execution === undefined ? [] : [{ part, execution }]
  })
}

type FinalState = Extract<AbilityRun['state'], 'success' | 'failed' | 'indeterminate' | 'cancelled'>

/** The outcome of one item from the results of its executions. */
export function judgeItem(
  reader: Reader,
  { run_id, item }: { readonly run_id: string; readonly item: number },
  ending: RunEnding,
): { readonly state: FinalState; readonly outcome: Pick<RunOutcome, 'verification' | 'trouble'> } {
  const parts = listItemParts(reader, run_id, item)
  const ended = listEndedParts(reader, parts)
  // Parts that were passed over because the outcome was already reached have no checks to make.
  const planned = ending.state === 'succeeded' ? ended.map(({ part }) => part) : parts
  const plan = planned.flatMap(qualifyPlan)
  const step_results = ended.flatMap(({ part, execution }) =>
    readResults(execution).map((result) => ({ ...result, id: qualifyId(part, result.id) })),
  )
  const settled: SettledExecution = { ...ending, step_results }
  const trouble = describeFailure(plan, settled)
  return {
    state: decideRunState(plan, settled),
    outcome: { verification: readVerifications(plan, step_results), ...(trouble === undefined ? {} : { trouble }) },
  }
}

const qualifyPlan = (part: RunPartRow): PlannedAction[] =>
  part.plan.map((planned) => ({
    ...planned,
    action_id: qualifyId(part, planned.action_id),
    step_id: qualifyId(part, planned.step_id),
    ...(planned.checkpoint_id === undefined ? {} : { checkpoint_id: qualifyId(part, planned.checkpoint_id) }),
  }))
