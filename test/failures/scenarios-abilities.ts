import type { FailureCode } from '@apprentice/contracts/base/failures.ts'
import { addAbility } from '../abilities/ability-rows.ts'
import { withDaemon, type Scenario } from './scenarios.ts'

export const abilityScenarios = {
  AVAILABILITY_REFRESH_FAILED: withDaemon(async (daemon) => {
    const id = await addAbility(daemon)
    await daemon.system.store.write(({ db }) => {
      db.exec('DROP TABLE checkpoint_receipts')
    })
    return daemon.post(`/api/abilities/${id}/activate`)
  }),
} as const satisfies Partial<Record<FailureCode, Scenario>>
