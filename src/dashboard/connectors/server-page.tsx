import type { ServerListItem } from '@apprentice/contracts/connectors/server.ts'
import { useEffect } from 'preact/hooks'
import { useTitle } from '../app/title.ts'
import { Badge, Empty, ReadFailure, Skeleton, StateBadge, Time } from '../parts/basic.tsx'
import { CopyButton } from '../parts/copy-button.tsx'
import { Countdown } from '../parts/countdown.tsx'
import { Facts } from '../parts/facts.tsx'
import { formatDateTime } from '../parts/format.ts'
import { ConnectorReceipts } from '../receipts/connector-receipts.tsx'
import { further } from '../text/further.ts'
import { formatName } from '../text/text.ts'
import { EffectiveMode } from './effective-mode.tsx'
import { EnableSwitch } from './enable-switch.tsx'
import { findMode, usePolicies } from './policy-list.ts'
import { HowDecided, PolicyUnavailable } from './policy-panel.tsx'
import { PolicySwitch } from './policy-switch.tsx'
import { ServerActions } from './server-actions.tsx'
import { ServerBadges } from './server-badges.tsx'
import { LinkedSkills } from './server-card.tsx'
import { useServers } from './server-list.ts'
import { ToolList } from './tool-list.tsx'

/** Everything about one server: sign-in, health, tools, policy and what was done. */
export function ServerPage({ serverId }: { readonly serverId: string }) {
  const { data, failure, reload } = useServers()
  const server = data.value?.servers.find(({ registry }) => registry.server_id === serverId)
  useTitle(server?.registry.display_name ?? further.connectors.title)
  if (failure.value !== undefined) return <ReadFailure message={failure.value} onRetry={() => void reload()} />
  if (data.value === undefined) return <Skeleton rows={6} />
  if (server === undefined) {
    return (
      <Empty icon="connector" title={further.connectors.notFound}>
        <a href="/connectors">{further.connectors.toList}</a>
      </Empty>
    )
  }
  const { display_name, provider, transport, enabled } = server.registry
  return (
    <article class="connector">
      <p class="crumbs">
        <a href="/connectors">{further.connectors.title}</a>
      </p>
      <h1 translate={false}>{display_name}</h1>
      <p class="badges">
        <ServerBadges server={server} />
        <small>
          {further.connectors.providers[provider]} · {further.connectors.transports[transport]}
        </small>
      </p>
      <LinkedSkills server={server} />
      <div class="server-foot">
        <ServerActions server={server} onChanged={reload} />
        {enabled && <EnableSwitch registry={server.registry} onChanged={reload} />}
      </div>
      <div class="grid connector-grid">
        <SignInFacts server={server} />
        <HealthFacts server={server} />
      </div>
      <PolicyParts server={server} onChanged={reload} />
      <section class="panel">
        <h2>{further.connectors.tabs.receipts}</h2>
        <ConnectorReceipts serverId={serverId} />
      </section>
    </article>
  )
}

function SignInFacts({ server: { auth, registry } }: { readonly server: ServerListItem }) {
  if (auth?.auth_profile_id === undefined) {
    return (
      <section class="panel">
        <h2>{further.signIn.title}</h2>
        <p class="hint">{further.signIn.notNeeded}</p>
        <RegistryFacts registry={registry} />
      </section>
    )
  }
  const { auth_state, scopes_granted, scopes_missing, expires_at, refresh_at, last_auth_error_code } = auth
  return (
    <section class="panel">
      <h2>{further.signIn.title}</h2>
      <p>
        <Badge tone={auth_state === 'healthy' ? 'good' : 'busy'} icon="key">
          {further.signIn.states[auth_state]}
        </Badge>
      </p>
      <Facts
        facts={[
          [
            further.signIn.granted,
            scopes_granted.length === 0 ? further.signIn.noneGranted : scopes_granted.join(', '),
          ],
          [
            further.signIn.missing,
            scopes_missing.length > 0 && <strong class="error">{scopes_missing.join(', ')}</strong>,
          ],
          [further.signIn.expires, expires_at !== undefined && <Moment at={expires_at} />],
          [further.signIn.refreshAt, refresh_at !== undefined && <Moment at={refresh_at} />],
          [further.signIn.lastError, last_auth_error_code !== undefined && formatName(last_auth_error_code)],
          [further.signIn.profile, <code key="profile">{auth.auth_profile_id}</code>],
        ]}
      />
      <RegistryFacts registry={registry} />
    </section>
  )
}

const Moment = ({ at }: { readonly at: string }) => (
  <>
    {formatDateTime(at)} (<Time at={at} />)
  </>
)

const RegistryFacts = ({ registry }: Pick<ServerListItem, 'registry'>) => (
  <Facts
    facts={[
      [further.connectors.address, registry.endpoint_url ?? further.connectors.noAddress],
      [further.connectors.dataClasses, registry.data_classes.join(', ')],
      [
        further.connectors.serverId,
        <>
          <code>{registry.server_id}</code> <CopyButton text={registry.server_id} name={further.connectors.serverId} />
        </>,
      ],
    ]}
  />
)

function HealthFacts({ server: { health } }: { readonly server: ServerListItem }) {
  const { health_status, health_reason_code, last_checked_at, failure_count_rolling, throttle_state } = health
  const { backoff_until } = health
  const isLater = backoff_until !== undefined && Date.parse(backoff_until) > Date.now()
  return (
    <section class="panel">
      <h2>{further.connectorHealth.title}</h2>
      <p>
        {health_status === 'unknown' ? (
          <Badge>{further.connectorHealth.states.unknown}</Badge>
        ) : (
          <StateBadge state={health_status} />
        )}
      </p>
      <Facts
        facts={[
          [further.connectorHealth.reason, health_reason_code !== undefined && formatName(health_reason_code)],
          [further.connectorHealth.checked, last_checked_at !== undefined && <Time at={last_checked_at} />],
          [further.connectorHealth.failures, String(failure_count_rolling)],
          [further.connectorHealth.throttle, further.connectors.throttles[throttle_state.state]],
          [further.connectors.untilRetry, isLater && <Countdown until={backoff_until} />],
        ]}
      />
    </section>
  )
}

interface PolicyPartsProps {
  readonly server: ServerListItem
  readonly onChanged: () => Promise<void>
}

function PolicyParts({ server, onChanged }: PolicyPartsProps) {
  const { server_id, display_name } = server.registry
  const { data, failure, reload } = usePolicies(server_id)
  const isRead = data.value !== undefined
  useEffect(() => {
    // The part exists only now, so the browser could not go to it.
    if (isRead && location.hash === '#policy') document.getElementById('policy')?.scrollIntoView()
  }, [isRead])
  if (failure.value !== undefined) return <PolicyUnavailable message={failure.value} onRetry={reload} />
  if (data.value === undefined) return <Skeleton rows={4} />
  const target = { target_kind: 'server', server_id } as const
  const changed = async (): Promise<void> => {
    await Promise.all([reload(), onChanged()])
  }
  return (
    <>
      <section class="panel" id="policy">
        <h2>{further.connectorPolicy.title}</h2>
        <div class="tool-policy">
          <PolicySwitch target={target} name={display_name} mode={findMode(data.value, target)} onChanged={changed} />
          <EffectiveMode policy={server.effective_policy} />
          <a href="/connectors/policy">{further.connectorPolicy.providers}</a>
        </div>
      </section>
      <ToolList server={server} policies={data.value} onChanged={changed} />
      <HowDecided />
    </>
  )
}
