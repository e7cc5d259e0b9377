import { type Action, ACTING_TYPES, DECLARED_EFFECTS, submitsText } from '@apprentice/contracts/devices/action.ts'
import type { ActionFacts } from '@apprentice/contracts/devices/checks.ts'
import { Failure } from '../../failure/failure.ts'
import type { Reader } from '../../store/db/db.ts'
import type { ExecutionRow } from '../../store/devices/executions.ts'
import { getOwnExecution } from './executions.ts'
import { decideEffect } from '../../knowledge/verification/effect.ts'

/** An action of the caller, read from its execution. */
export interface NamedAction {
  readonly facts: ActionFacts
  readonly execution: ExecutionRow
}

/** Finds the action with this id. Its effect comes from the stored execution, never from the request. */
export function getNamedAction(
  reader: Reader,
  action_id: string,
  caller: { readonly user_id: string; readonly serial: string },
): NamedAction {
  const [execution_id = '', ...rest] = action_id.split('/')
  const execution = getOwnExecution(reader, execution_id, caller.user_id)
  if (execution.serial !== caller.serial) {
    throw new Failure('EXECUTION_NOT_FOUND', `No execution ${execution_id} of ${caller.serial}.`)
  }
  const action = rest.length === 0 ? findLastActingStep(execution) : findStep(execution, rest.join('/'))
  return { facts: describeAction(action_id, action), execution }
}

function findStep({ payload, execution_id }: ExecutionRow, stepId: string): Action {
  const step = payload.actions.find(({ id }) => id === stepId)
  if (step !== undefined) return step
  throw new Failure('EXECUTION_NOT_FOUND', `No step ${stepId} in execution ${execution_id}.`)
}

/** The last acting step that was started; without one, the last started step. */
function findLastActingStep({ payload, step_results, settled_at }: ExecutionRow): Action {
  const settled = settled_at !== undefined
  const started = settled ? payload.actions.slice(0, Math.max(1, step_results.length)) : payload.actions
  const action = started.findLast(({ type }) => ACTING_TYPES.has(type)) ?? started.at(-1)
  if (action === undefined) throw new Error('An execution has at least one action.')
  return action
}

function describeAction(action_id: string, action: Action): ActionFacts {
  const { effect, source, table_version } = decideEffect({
    verb: action.type,
    schema: DECLARED_EFFECTS[action.type],
    handler: action.expects?.effect,
    submits: submitsText(action),
  })
  return {
    action_id,
    step_id: action.id,
    verb: action.type,
    action_type: effect,
    source,
    table_version,
  }
}
