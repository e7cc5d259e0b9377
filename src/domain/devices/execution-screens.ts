import type { ExecutionScreen } from '@apprentice/contracts/devices/executions.ts'
import type { Reader } from '../../store/db/db.ts'
import { findExecutionSteps } from '../../store/devices/execution-steps.ts'
import { getOwnExecution } from './executions.ts'

/** The stored screens around the actions of an execution, which only its owner may see. */
export function listScreens(reader: Reader, executionId: string, userId: string): ExecutionScreen[] {
  getOwnExecution(reader, executionId, userId)
  const stored = findExecutionSteps(reader, executionId)
  if (stored?.owner_user_id !== userId) return []
  return stored.steps.map(({ action_id, before_ref, after_ref, point }) => {
    const [before, after] = [readEvidenceId(before_ref), readEvidenceId(after_ref)]
    return {
      action_id,
      ...(before === undefined ? {} : { before }),
      ...(after === undefined ? {} : { after }),
      ...(point === undefined ? {} : { point }),
    }
  })
}

const readEvidenceId = (ref: string | undefined): string | undefined => /^evidence:(.+)$/.exec(ref ?? '')?.[1]
