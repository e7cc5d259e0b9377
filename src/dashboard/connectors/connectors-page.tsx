import { useSignal } from '@preact/signals'
import { useTitle } from '../app/title.ts'
import { isAdmin, privilege } from '../app/privilege.ts'
import { Empty, ReadFailure, Skeleton } from '../parts/basic.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { ConnectorReceipts } from '../receipts/connector-receipts.tsx'
import { further } from '../text/further.ts'
import { Approvals } from './approvals.tsx'
import { pendingApprovals } from './approval-list.ts'
import { PolicyPanel } from './policy-panel.tsx'
import { ProfileList } from './profile-list.tsx'
import { ServerCard } from './server-card.tsx'
import { ServerForm } from './server-form.tsx'
import { useServers } from './server-list.ts'
import { ServerPage } from './server-page.tsx'

const TABS = ['servers', 'approvals', 'policy', 'profiles', 'receipts'] as const

/** The MCP servers that abilities and agents use: their state, what is decided about them, and what they did. */
export function ConnectorsPage({ tab, id }: { readonly tab?: string; readonly id?: string }) {
  return tab === 'servers' && id !== undefined ? (
    <ServerPage key={id} serverId={decodeURIComponent(id)} />
  ) : (
    <ConnectorTabs tab={tab} />
  )
}

function ConnectorTabs({ tab }: { readonly tab: string | undefined }) {
  useTitle(further.connectors.title)
  const open = TABS.find((name) => name === tab) ?? 'servers'
  const waiting = pendingApprovals.value.length
  return (
    <>
      <h1>{further.connectors.title}</h1>
      <Tabs
        label={further.connectors.title}
        names={TABS}
        open={open}
        toHref={(name) => (name === 'servers' ? '/connectors' : `/connectors/${name}`)}
        toLabel={(name) =>
          name === 'approvals' && waiting > 0
            ? `${further.connectors.tabs[name]} (${waiting})`
            : further.connectors.tabs[name]
        }
      />
      {open === 'servers' && <ServerList />}
      {open === 'approvals' && <Approvals />}
      {open === 'policy' && <PolicyPanel />}
      {open === 'profiles' && <ProfileList />}
      {open === 'receipts' && <ConnectorReceipts />}
    </>
  )
}

function ServerList() {
  const { data, failure, reload } = useServers()
  const isRegistering = useSignal(false)
  const showsDeferred = useSignal(false)
  if (failure.value !== undefined) return <ReadFailure message={failure.value} onRetry={() => void reload()} />
  if (data.value === undefined) return <Skeleton rows={5} />
  const { servers } = data.value
  const listed = servers.filter(({ badge_states }) => showsDeferred.value || !badge_states.includes('deferred'))
  const register = (
    <button
      type="button"
      class="primary"
      disabled={!isAdmin.value}
      title={isAdmin.value ? undefined : further.connectors.adminOnly}
      onClick={() => (isRegistering.value = true)}
    >
      {further.connectors.register}
    </button>
  )
  return (
    <>
      {privilege.value !== undefined && !isAdmin.value && <p class="hint">{further.connectors.adminOnly}</p>}
      {listed.length === 0 ? (
        <Empty icon="connector" title={further.connectors.none}>
          <p>{further.connectors.noneHint}</p>
          {register}
        </Empty>
      ) : (
        <div class="toolbar">{register}</div>
      )}
      {listed.length < servers.length || showsDeferred.value ? (
        <label class="check">
          <input
            type="checkbox"
            checked={showsDeferred.value}
            onChange={({ currentTarget }) => (showsDeferred.value = currentTarget.checked)}
          />{' '}
          {further.connectors.showDeferred}
        </label>
      ) : null}
      <ul class="rows servers">
        {listed.map((server) => (
          <ServerCard key={server.registry.server_id} server={server} onChanged={reload} />
        ))}
      </ul>
      {isRegistering.value && (
        <ServerForm server={undefined} onSaved={reload} onClose={() => (isRegistering.value = false)} />
      )}
    </>
  )
}
