import type { EffectiveConnectorPolicy } from '@apprentice/contracts/connectors/policy.ts'
import type { PolicyMode } from '@apprentice/contracts/connectors/values.ts'
import { Badge } from '../parts/basic.tsx'
import { further } from '../text/further.ts'

const LOOKS = {
  enabled: { tone: 'good', icon: 'check' },
  ask_first: { tone: 'busy', icon: 'hand' },
  disabled: { tone: 'bad', icon: 'ban' },
} as const satisfies Readonly<Record<PolicyMode, object>>

/** What applies, and where that comes from. */
export function EffectiveMode({ policy }: { readonly policy: EffectiveConnectorPolicy }) {
  const { mode } = policy.decision
  return (
    <span class="effective">
      <small>{further.connectorPolicy.effective}</small>{' '}
      <Badge {...LOOKS[mode]}>{further.connectorPolicy.modes[mode]}</Badge> <small>{describeOrigin(policy)}</small>
    </span>
  )
}

function describeOrigin({ decision, inherited_from }: EffectiveConnectorPolicy): string {
  if (inherited_from !== 'none')
    return further.connectorPolicy.inheritedFrom(further.connectorPolicy.levels[inherited_from])
  return decision.updated_by === 'system' ? further.connectorPolicy.byDefault : further.connectorPolicy.setHere
}
