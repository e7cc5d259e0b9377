import { hash } from 'node:crypto'
import { normalizeExecution } from '@apprentice/contracts/devices/execution.ts'
import { insertExecutionPolicy } from '../../store/devices/execution-policies.ts'
import type { PracticeRow } from '../../store/practice/practices.ts'
import type { CommandContext } from '../command/context.ts'
import { queueExecution } from '../devices/executions.ts'
import type { PlannedAction } from '../../knowledge/goal-search/planned-actions.ts'
import { asAgent } from './practice-record.ts'

const ACTION_TIMEOUT_MS = 20_000

/** Queues the actions as one execution, restricted to the policy of the practice. Returns the execution id. */
export function dispatchActions(ctx: CommandContext, practice: PracticeRow, actions: readonly PlannedAction[]): string {
  const id = ctx.newId()
  const read = normalizeExecution({
    commandId: `practice-${id}`,
    taskId: practice.practice_id,
    source: 'practice',
    expectedFormat: 'android-ui-automator',
    timeoutMs: ACTION_TIMEOUT_MS * (actions.length + 1),
    actions: actions.map((action, at) => ({ id: `a${at + 1}`, ...action })),
  })
  if (!read.ok) throw new Error(`The practice built an invalid execution: ${read.failure.message}`)
  const { execution_id } = queueExecution(asAgent(ctx, practice.owner_user_id), {
    execution: read.execution,
    payload_sha256: hash('sha256', JSON.stringify(read.execution), 'hex'),
    serial: practice.serial,
    priority: 0,
  })
  insertExecutionPolicy(ctx.tx, execution_id, { ...practice.policy, max_actions: actions.length })
  return execution_id
}
