import type { FailureCode } from '@apprentice/contracts/base/failures.ts'
import { withDaemon, type Scenario } from './scenarios.ts'
import { insertPastExecution } from '../mining/past-executions.ts'

const settings = '/api/learn/mining/settings'
const fromRuns = '/api/learn/from-runs'

export const miningScenarios = {
  OBSERVATION_CONFIRMATION_REQUIRED: withDaemon((daemon) => daemon.post(settings, { observe_outside_elnor: true })),
  MINING_OFF: withDaemon(async (daemon) => {
    await daemon.post(settings, { mode: 'off' })
    return daemon.post('/api/learn/mining/scan', {})
  }),
  EXECUTION_NOT_SUCCESSFUL: withDaemon(async (daemon) =>
    daemon.post(fromRuns, {
      execution_ids: [await insertPastExecution(daemon, { state: 'failed' })],
    }),
  ),
  EXECUTION_WITHOUT_EVIDENCE: withDaemon(async (daemon) => {
    const id = await insertPastExecution(daemon)
    await daemon.system.store.write((tx) => {
      tx.db.prepare('DELETE FROM execution_steps').run()
    })
    return daemon.post(fromRuns, { execution_ids: [id] })
  }),
} satisfies Partial<Record<FailureCode, Scenario>>
