import { AcrobatCapability, type AdapterHealth } from '@apprentice/contracts/documents/adapter.ts'
import { mayWrite } from '../app/privilege.ts'
import { Badge, Time } from '../parts/basic.tsx'
import { Icon } from '../parts/icon.tsx'
import { further } from '../text/further.ts'
import { formatName } from '../text/text.ts'

const TONES = { healthy: 'good', degraded: 'busy', disabled: 'plain', missing: 'bad' } as const

/** What the adapter can do now, and why not more. */
export const AdapterPanel = ({ health }: { readonly health: AdapterHealth }) => (
  <section class="panel adapter">
    <h2>{further.documents.adapter}</h2>
    <p>
      <Badge tone={TONES[health.adapter_state]}>{further.documents.adapterStates[health.adapter_state]}</Badge>{' '}
      {further.documents.adapterHints[health.adapter_state]}{' '}
      {health.reason_code !== undefined && (
        <small>
          {further.documents.reason}: {formatName(health.reason_code)}
        </small>
      )}{' '}
      {health.last_checked_at !== undefined && (
        <small>
          {further.documents.checked} <Time at={health.last_checked_at} />
        </small>
      )}
    </p>
    <ul class="plain abilities-of-adapter">
      {AcrobatCapability.options.map((name) => {
        const isSupported = canDo(health, name)
        return (
          <li key={name} class={isSupported ? 'step-good' : 'step-bad'}>
            <Icon name={isSupported ? 'done' : 'failed'} size={14} /> {further.documents.operations[name]}
          </li>
        )
      })}
    </ul>
  </section>
)

/** Whether the adapter works and supports an operation. */
export const canDo = ({ adapter_state, supported_capabilities }: AdapterHealth, name: AcrobatCapability): boolean =>
  (adapter_state === 'healthy' || adapter_state === 'degraded') && supported_capabilities.includes(name)

/** Why an operation cannot be used, if it cannot. */
export function findObstacle(health: AdapterHealth, name: AcrobatCapability): string | undefined {
  if (!canDo(health, name)) {
    return health.reason_code === undefined
      ? further.documents.unavailable
      : `${further.documents.unavailable} ${formatName(health.reason_code)}`
  }
  return mayWrite.value ? undefined : further.documents.readOnly
}
