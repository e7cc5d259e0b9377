import type { ConnectorPolicies } from '@apprentice/contracts/connectors/policy.ts'
import type { ServerListItem } from '@apprentice/contracts/connectors/server.ts'
import { Provider } from '@apprentice/contracts/connectors/values.ts'
import { isAdmin, privilege } from '../app/privilege.ts'
import { ReadFailure, Skeleton } from '../parts/basic.tsx'
import { further } from '../text/further.ts'
import { EffectiveMode } from './effective-mode.tsx'
import { findMode, usePolicies } from './policy-list.ts'
import { changePolicy, PolicySwitch } from './policy-switch.tsx'
import { toServerHref, useServers } from './server-list.ts'

/** What is decided for all connectors, for each provider and for each server, and how a result follows. */
export function PolicyPanel() {
  const { data, failure, reload } = usePolicies()
  const servers = useServers()
  if (failure.value !== undefined) return <PolicyUnavailable message={failure.value} onRetry={reload} />
  if (data.value === undefined) return <Skeleton rows={6} />
  const policies = data.value
  const onChanged = async (): Promise<void> => {
    await Promise.all([reload(), servers.reload()])
  }
  const global = { target_kind: 'global' } as const
  return (
    <>
      {privilege.value !== undefined && !isAdmin.value && <p class="hint">{further.connectors.adminOnly}</p>}
      <section class="panel">
        <h2>{further.connectorPolicy.global}</h2>
        <PolicySwitch
          target={global}
          name={further.connectorPolicy.global}
          mode={findMode(policies, global)}
          onChanged={onChanged}
        />
      </section>
      <ProviderPolicies policies={policies} onChanged={onChanged} />
      <ServerPolicies policies={policies} servers={servers.data.value?.servers ?? []} onChanged={onChanged} />
      <HowDecided />
    </>
  )
}

interface PoliciesProps {
  readonly policies: ConnectorPolicies
  readonly onChanged: () => Promise<void>
}

const ProviderPolicies = ({ policies, onChanged }: PoliciesProps) => (
  <section class="panel">
    <h2>{further.connectorPolicy.providers}</h2>
    <ul class="plain lines policy-lines">
      {Provider.options.map((provider) => {
        const target = { target_kind: 'provider', provider } as const
        const name = further.connectors.providers[provider]
        const mode = findMode(policies, target)
        return (
          <li key={provider}>
            <strong>{name}</strong>
            <PolicySwitch target={target} name={name} mode={mode} onChanged={onChanged} />
            <button
              type="button"
              class="danger quiet small"
              disabled={!isAdmin.value || mode === 'disabled'}
              onClick={() => void changePolicy({ target, name, mode, onChanged }, 'disabled')}
            >
              {further.connectorPolicy.turnOff(name)}
            </button>
          </li>
        )
      })}
    </ul>
  </section>
)

function ServerPolicies({
  policies,
  servers,
  onChanged,
}: PoliciesProps & { readonly servers: readonly ServerListItem[] }) {
  const active = servers.filter(({ available_actions }) => available_actions.includes('policy_update'))
  if (active.length === 0) return null
  return (
    <section class="panel">
      <h2>{further.connectorPolicy.servers}</h2>
      <ul class="plain lines policy-lines">
        {active.map(({ registry: { server_id, display_name }, effective_policy }) => {
          const target = { target_kind: 'server', server_id } as const
          return (
            <li key={server_id}>
              <a translate={false} href={`${toServerHref(server_id)}#policy`}>
                {display_name}
              </a>
              <PolicySwitch
                target={target}
                name={display_name}
                mode={findMode(policies, target)}
                onChanged={onChanged}
              />
              <EffectiveMode policy={effective_policy} />
            </li>
          )
        })}
      </ul>
    </section>
  )
}

export const HowDecided = () => (
  <section class="panel">
    <h2>{further.connectorPolicy.howTitle}</h2>
    <ol class="how">
      {further.connectorPolicy.how.map((rule) => (
        <li key={rule}>{rule}</li>
      ))}
    </ol>
  </section>
)

interface PolicyUnavailableProps {
  readonly message: string
  readonly onRetry: () => Promise<void>
}

/** Without the policy nothing about it can be changed. */
export const PolicyUnavailable = ({ message, onRetry }: PolicyUnavailableProps) => (
  <ReadFailure message={`${further.connectorPolicy.unavailable} ${message}`} onRetry={() => void onRetry()} />
)
