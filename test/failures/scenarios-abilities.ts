import type { FailureCode } from '@apprentice/contracts/base/failures.ts'
import { addAbility } from '../abilities/an-ability.ts'
import { asking, type Scenario } from './scenarios.ts'

export const abilityScenarios = {
  AVAILABILITY_REFRESH_FAILED: asking(async (daemon) => {
    const id = await addAbility(daemon)
    await daemon.system.store.write(({ db }) => {
      db.exec('DROP TABLE checkpoint_receipts')
    })
    return daemon.post(`/api/abilities/${id}/activate`)
  }),
} as const satisfies Partial<Record<FailureCode, Scenario>>
