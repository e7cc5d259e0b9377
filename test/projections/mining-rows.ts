import type { CommandContext } from '../../src/domain/command/context.ts'
import { clusterTraces } from '../../src/domain/mining/trace-clustering.ts'
import { changeMiningSettings } from '../../src/domain/mining/settings.ts'
import { insertExecution } from '../../src/store/devices/executions.ts'

/** Settings of mining, and a run that was taken back, which makes a cluster of its own. */
export function addMining(ctx: CommandContext): void {
  changeMiningSettings(ctx, { min_successful_traces: 4 })
  const execution_id = ctx.newId()
  const times = { queued_at: ctx.now, settled_at: ctx.now, deadline_at: ctx.now }
  insertExecution(ctx.tx, {
    execution_id,
    owner_user_id: 'local',
    command_id: execution_id,
    task_id: 't',
    source: 'test',
    serial: 'phone-1',
    goal: 'Reply to a mail',
    state: 'cancelled',
    priority: 0,
    payload: {
      commandId: execution_id,
      taskId: 't',
      source: 'test',
      expectedFormat: 'android-ui-automator',
      timeoutMs: 10_000,
      actions: [],
    },
    payload_sha256: '',
    step_results: [],
    ...times,
  })
  clusterTraces(ctx, { limit: 10 })
}
