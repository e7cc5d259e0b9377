import type { FailureCode } from '@apprentice/contracts/base/failures.ts'
import { addAbility } from '../abilities/ability-rows.ts'
import { withDaemon, type Scenario } from './scenarios.ts'

export const abilityScenarios = {
  POLICY_PROFILE_NOT_FOUND: withDaemon((daemon) => daemon.delete('/api/policy/profiles/missing')),
  POLICY_PROFILE_IN_USE: withDaemon(async (daemon) => {
    await daemon.request({ method: 'PUT', url: '/api/policy/profiles/guest', payload: { profile: {} } })
    const payload = { profile_name: 'guest' }
    await daemon.request({ method: 'PUT', url: '/api/policy/lanes/experimental_private', payload })
    return daemon.delete('/api/policy/profiles/guest')
  }),
  AVAILABILITY_REFRESH_FAILED: withDaemon(async (daemon) => {
    const id = await addAbility(daemon)
    await daemon.system.store.write(({ db }) => {
      db.exec('DROP TABLE checkpoint_receipts')
    })
    return daemon.post(`/api/abilities/${id}/activate`)
  }),
} as const satisfies Partial<Record<FailureCode, Scenario>>
