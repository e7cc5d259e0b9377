import type { FailureCode } from '@apprentice/contracts/base/failures.ts'
import { asking, type Scenario } from './scenarios.ts'
import { past } from '../mining/past-runs.ts'

const settings = '/api/learn/mining/settings'
const fromRuns = '/api/learn/from-runs'

export const miningScenarios = {
  OBSERVATION_CONFIRMATION_REQUIRED: asking((daemon) =>
    daemon.post(settings, { observe_outside_elnor: true }),
  ),
  MINING_OFF: asking(async (daemon) => {
    await daemon.post(settings, { mode: 'off' })
    return daemon.post('/api/learn/mining/scan', {})
  }),
  EXECUTION_NOT_SUCCESSFUL: asking(async (daemon) =>
    daemon.post(fromRuns, { execution_ids: [await past(daemon, { state: 'failed' })] }),
  ),
  EXECUTION_WITHOUT_EVIDENCE: asking(async (daemon) => {
    const id = await past(daemon)
    await daemon.system.store.write((tx) => {
      tx.db.prepare('DELETE FROM execution_steps').run()
    })
    return daemon.post(fromRuns, { execution_ids: [id] })
  }),
} satisfies Partial<Record<FailureCode, Scenario>>
