import { type CapabilityHealth, getCapabilityHealth } from '@apprentice/contracts/capabilities/capability.ts'
import { call } from '../api/client.ts'
import { useResource } from '../api/resource.ts'
import { Badge } from '../parts/basic.tsx'
import { formatName, t } from '../text/text.ts'

/** Whether what agents may run works, in one line. The reasons are named. */
export function AutomationHealth() {
  const { data } = useResource('capability-health', () => call(getCapabilityHealth), {
    changesWith: ['capability.', 'ability.', 'bridge.'],
  })
  const all = data.value?.capabilities ?? []
  if (all.length === 0) return null
  const troubled = all.filter(needsAttention)
  const reasons = [...new Set(troubled.flatMap(({ reason_codes }) => reason_codes))]
  return (
    <li>
      <a href="/settings/integration">{t.capabilities.automationHealth}</a>{' '}
      <Badge tone={troubled.length === 0 ? 'good' : 'bad'}>
        {troubled.length === 0 ? t.capabilities.allWork : t.capabilities.needAttention(troubled.length, all.length)}
      </Badge>{' '}
      {reasons.length > 0 && <small>{reasons.map(formatName).join(', ')}</small>}
    </li>
  )
}

const needsAttention = ({ health_status, installed_state, session_availability }: CapabilityHealth): boolean =>
  health_status === 'degraded' ||
  health_status === 'quarantined' ||
  installed_state === 'missing' ||
  session_availability === 'unsupported'
