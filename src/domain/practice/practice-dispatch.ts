import { hash } from 'node:crypto'
import { normalizeExecution } from '@apprentice/contracts/devices/execution.ts'
import { insertExecutionPolicy } from '../../store/devices/execution-policies.ts'
import type { PracticeRow } from '../../store/practice/practices.ts'
import type { CommandContext } from '../command/context.ts'
import { queueExecution } from '../devices/executions.ts'
import type { PlannedAction } from '../../knowledge/goal-search/planned-actions.ts'
import { asAgent } from './practice-record.ts'

const ACTION_TIMEOUT_MS = 20_000
const MAX_TIMEOUT_MS = 120_000

/** The most touches that the actions may need. */
export const countTouches = (actions: readonly PlannedAction[]): number =>
  actions.reduce((sum, { touches = 1 }) => sum + touches, 0)

/** Queues the actions as one execution, restricted to the policy of the practice. Returns the execution id. */
export function dispatchActions(ctx: CommandContext, practice: PracticeRow, actions: readonly PlannedAction[]): string {
  const id = ctx.newId()
  const read = normalizeExecution({
    commandId: `practice-${id}`,
    taskId: practice.practice_id,
    source: 'practice',
    expectedFormat: 'android-ui-automator',
    timeoutMs: Math.min(MAX_TIMEOUT_MS, ACTION_TIMEOUT_MS * (countTouches(actions) + 1)),
    actions: actions.map(({ type, params }, at) => ({ id: `a${at + 1}`, type, params })),
  })
  if (!read.ok) throw new Error(`The practice built an invalid execution: ${read.failure.message}`)
  const { execution_id } = queueExecution(asAgent(ctx, practice.owner_user_id), {
    execution: read.execution,
    payload_sha256: hash('sha256', JSON.stringify(read.execution), 'hex'),
    serial: practice.serial,
    priority: 0,
  })
  insertExecutionPolicy(ctx.tx, execution_id, { ...practice.policy, max_actions: countTouches(actions) })
  return execution_id
}
