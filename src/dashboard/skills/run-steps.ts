import type { AbilityRun } from '@apprentice/contracts/abilities/runs.ts'
import {
  type ExecutionRecord,
  type ExecutionScreen,
  getExecution,
  listExecutionScreens,
} from '@apprentice/contracts/devices/executions.ts'
import { call } from '../api/client.ts'
import { say } from '../text/say.ts'
import { t } from '../text/text.ts'

/** One step of a run as it was executed. */
export interface RunStep {
  readonly key: string
  readonly execution_id: string
  readonly action_id: string
  readonly state: string
  /** What the phone reported. */
  readonly data: Readonly<Record<string, string>>
}

/** Reads the executions of a run and lists their steps in order. */
export async function readRunSteps({ parts = [] }: AbilityRun): Promise<readonly RunStep[]> {
  const ids = parts.flatMap(({ execution_id }) => (execution_id === undefined ? [] : [execution_id]))
  const records = await Promise.all(ids.map((executionId) => call(getExecution, { params: { executionId } })))
  return records.flatMap(({ execution }) => listSteps(execution))
}

function listSteps({ execution_id, execution, envelope, state, current_step_id, completed_steps }: ExecutionRecord) {
  const results = new Map(envelope?.stepResults.map((result) => [result.id, result]))
  return execution.actions.map(({ id }, at): RunStep => {
    const result = results.get(id)
    const isDone = at < completed_steps
    const live = id === current_step_id && state === 'running' ? 'running' : isDone ? 'succeeded' : 'not_started'
    return {
      key: `${execution_id}/${id}`,
      execution_id,
      action_id: id,
      state: result === undefined ? live : (result.outcome ?? (result.success ? 'succeeded' : 'failed')),
      data: result?.data ?? {},
    }
  })
}

export interface StepPictures {
  readonly before?: string | undefined
  readonly after?: string | undefined
  readonly point?: ExecutionScreen['point']
}

/** The stored screens of each step by its key. A step without screens of its own shows what was there before it. */
export async function readPictures(steps: readonly RunStep[]): Promise<ReadonlyMap<string, StepPictures>> {
  const ids = [...new Set(steps.map(({ execution_id }) => execution_id))]
  const replies = await Promise.all(ids.map((executionId) => call(listExecutionScreens, { params: { executionId } })))
  const own = new Map<string, StepPictures>(
    replies.flatMap(({ screens }, at) => screens.map((one) => [`${ids[at] ?? ''}/${one.action_id}`, one] as const)),
  )
  const pictures = new Map<string, StepPictures>()
  let last: string | undefined
  for (const { key, state } of steps) {
    const found = own.get(key)
    if (found !== undefined) pictures.set(key, found)
    else if (last !== undefined && state !== 'skipped') pictures.set(key, { before: last })
    last = found?.after ?? last
  }
  return pictures
}

/** "cp-01" becomes "Checkpoint 1". */
export const nameCheckpoint = (id: string): string => {
  const number = /^cp-0*(\d+)$/.exec(id)?.[1]
  return number === undefined ? id : t.run.checkpointName(number)
}

/** "press_save_2" becomes "Press save 2". Steps of the runner have names of their own. */
export function nameStep(id: string): string {
  const known = t.run.stepIds[id]
  if (known !== undefined) return known
  if (id.startsWith('already.')) return t.run.lookFirst(nameStep(id.replace(/^already\.(?:verify\.)?/, '')))
  if (id.startsWith('verify.')) return t.run.check(nameStep(id.slice('verify.'.length)))
  const words = id.replaceAll(/[_.]/g, ' ')
  return say(words.charAt(0).toUpperCase() + words.slice(1))
}
