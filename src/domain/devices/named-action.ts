import {
  type Action,
  ACTING_TYPES,
  DECLARED_EFFECTS,
} from '@apprentice/contracts/devices/action.ts'
import type { ActionFacts } from '@apprentice/contracts/devices/looks.ts'
import { Failure } from '../../failure/failure.ts'
import type { Reader } from '../../store/db/db.ts'
import type { ExecutionRow } from '../../store/devices/executions.ts'
import { getOwnExecution } from './executions.ts'
import { decideEffect } from '../../knowledge/verification/effect.ts'

/** An action of the caller, as the record of its execution knows it. */
export interface NamedAction {
  readonly facts: ActionFacts
  readonly execution: ExecutionRow
}

/** Finds the action an id names. What it is taken to do comes from its record, never from who asks. */
export function getNamedAction(
  reader: Reader,
  action_id: string,
  asked: { readonly user_id: string; readonly serial: string },
): NamedAction {
  const [execution_id = '', ...rest] = action_id.split('/')
  const execution = getOwnExecution(reader, execution_id, asked.user_id)
  if (execution.serial !== asked.serial) {
    throw new Failure('EXECUTION_NOT_FOUND', `No execution ${execution_id} of ${asked.serial}.`)
  }
  const action = rest.length === 0 ? lastActing(execution) : stepOf(execution, rest.join('/'))
  return { facts: factsOf(action_id, action), execution }
}

function stepOf({ payload, execution_id }: ExecutionRow, stepId: string): Action {
  const step = payload.actions.find(({ id }) => id === stepId)
  if (step !== undefined) return step
  throw new Failure('EXECUTION_NOT_FOUND', `No step ${stepId} in execution ${execution_id}.`)
}

/** The last step that does something; one that only looks, or was never begun, is no action to verify. */
function lastActing({ payload, step_results, settled_at }: ExecutionRow): Action {
  const ended = settled_at !== undefined
  const begun = ended ? payload.actions.slice(0, Math.max(1, step_results.length)) : payload.actions
  const action = begun.findLast(({ type }) => ACTING_TYPES.has(type)) ?? begun.at(-1)
  if (action === undefined) throw new Error('An execution has at least one action.')
  return action
}

function factsOf(action_id: string, action: Action): ActionFacts {
  const { effect, source, table_version } = decideEffect({
    verb: action.type,
    schema: DECLARED_EFFECTS[action.type],
    handler: action.expects?.effect,
    submits: action.type === 'enter_text' && action.params.submit,
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
