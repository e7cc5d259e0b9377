import type { AbilityDetail } from '@apprentice/contracts/abilities/availability.ts'
import {
  getCapabilityHealth,
  getCapabilityStats,
  reprobeCapability,
} from '@apprentice/contracts/capabilities/capability.ts'
import { attempt } from '../app/notices.tsx'
import { call } from '../api/client.ts'
import { useResource } from '../api/resource.ts'
import { Facts } from '../parts/facts.tsx'
import { StateBadge, Time } from '../parts/basic.tsx'
import { formatName, t } from '../text/text.ts'

/** How well the ability worked so far, and a check that changes nothing on the phone. */
export function AbilityHealth({ ability }: { readonly ability: AbilityDetail }) {
  const capabilityId = ability.primary_capability_id ?? ability.ability_id
  const { data, reload } = useResource(
    capabilityId,
    () => Promise.all([call(getCapabilityHealth), call(getCapabilityStats)]),
    { changesWith: ['ability.', 'capability.', 'bridge.'] },
  )
  const isOwn = ({ capability_id }: { readonly capability_id: string }): boolean => capability_id === capabilityId
  const health = data.value?.[0].capabilities.find(isOwn)
  const stats = data.value?.[1].stats.find(isOwn)
  return (
    <section class="panel">
      <h2>{t.ability.health}</h2>
      <Facts
        facts={[
          [t.ability.healthStatus, health && <StateBadge state={health.health_status} />],
          [t.ability.checkpoints, ability.checkpoint_health && formatName(ability.checkpoint_health)],
          [t.ability.uses, stats && t.ability.useCounts(stats.uses, stats.failures)],
          [t.ability.lastUsed, stats?.last_used_at && <Time at={stats.last_used_at} />],
          [t.ability.lastVerified, health?.last_verified_at && <Time at={health.last_verified_at} />],
          [t.ability.reasons, health && health.reason_codes.map(formatName).join(', ')],
        ]}
      />
      {health !== undefined && (
        <button
          type="button"
          title={t.ability.probeHint}
          onClick={() => void attempt(() => call(reprobeCapability, { body: { capability_id: capabilityId } }), reload)}
        >
          {t.ability.probe}
        </button>
      )}
    </section>
  )
}
