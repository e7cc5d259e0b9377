import type { ConnectorPolicyTarget } from '@apprentice/contracts/connectors/policy.ts'
import { updateConnectorPolicy } from '@apprentice/contracts/connectors/policy.ts'
import { PolicyMode } from '@apprentice/contracts/connectors/values.ts'
import { attempt, offerUndo } from '../app/notices.tsx'
import { isAdmin } from '../app/privilege.ts'
import { call } from '../api/client.ts'
import { further } from '../text/further.ts'

/** An expiry in the past clears a decision. */
const PAST = '1970-01-01T00:00:00.000Z'

interface PolicySwitchProps {
  readonly target: ConnectorPolicyTarget
  /** What the target is called on the page. */
  readonly name: string
  /** What was decided for the target itself, if anything. */
  readonly mode: PolicyMode | undefined
  readonly onChanged: () => Promise<void>
}

/** What is decided for one target. A change can be taken back. */
export const PolicySwitch = ({ target, name, mode, onChanged }: PolicySwitchProps) => (
  <div class="segments" role="group" aria-label={name}>
    {[undefined, ...PolicyMode.options].map((choice) => {
      const label = choice === undefined ? further.connectorPolicy.notSet : further.connectorPolicy.modes[choice]
      return (
        <button
          key={label}
          type="button"
          aria-pressed={choice === mode}
          aria-label={further.connectorPolicy.modeOf(label, name)}
          disabled={!isAdmin.value}
          title={isAdmin.value ? undefined : further.connectors.adminOnly}
          onClick={() => choice !== mode && void changePolicy({ target, name, mode, onChanged }, choice)}
        >
          {label}
        </button>
      )
    })}
  </div>
)

export function changePolicy(
  { target, name, mode, onChanged }: PolicySwitchProps,
  next: PolicyMode | undefined,
): Promise<boolean> {
  return attempt(async () => {
    await setPolicy(target, next)
    const label = next === undefined ? further.connectorPolicy.notSet : further.connectorPolicy.modes[next]
    offerUndo(further.connectorPolicy.changed(name, label), async () => {
      await setPolicy(target, mode)
      await onChanged()
    })
  }, onChanged)
}

const setPolicy = (target: ConnectorPolicyTarget, mode: PolicyMode | undefined) =>
  call(updateConnectorPolicy, {
    body: { target, decision: mode === undefined ? { mode: 'enabled', expires_at: PAST } : { mode } },
  })
