import { useSignal } from '@preact/signals'
import {
  type AuthProfile,
  deleteAuthProfile,
  listAuthProfiles,
} from '@apprentice/contracts/connectors/auth-profiles.ts'
import type { ServerListItem } from '@apprentice/contracts/connectors/server.ts'
import { attempt, notify } from '../app/notices.tsx'
import { isAdmin, privilege } from '../app/privilege.ts'
import { ApiFailure, call } from '../api/client.ts'
import { CONNECTOR_POLL } from '../api/poll.ts'
import { useResource } from '../api/resource.ts'
import { Badge, Empty, ReadFailure, Skeleton, Time } from '../parts/basic.tsx'
import { Confirm, Dialog } from '../parts/dialog.tsx'
import { Facts } from '../parts/facts.tsx'
import { further } from '../text/further.ts'
import { t } from '../text/text.ts'
import { AuthProfileForm } from './auth-profile-form.tsx'
import { toServerHref, useServers } from './server-list.ts'

/** How servers are signed in to. A profile that is used cannot be deleted. */
export function ProfileList() {
  const { data, failure, reload } = useResource('auth-profiles', () => call(listAuthProfiles), CONNECTOR_POLL)
  const servers = useServers().data.value?.servers ?? []
  const editing = useSignal<AuthProfile | 'new' | undefined>(undefined)
  const deleting = useSignal<string | undefined>(undefined)
  const blockers = useSignal<readonly string[] | undefined>(undefined)
  if (failure.value !== undefined) return <ReadFailure message={failure.value} onRetry={() => void reload()} />
  if (data.value === undefined) return <Skeleton rows={4} />
  const profiles = data.value.auth_profiles
  const remove = (authProfileId: string) =>
    attempt(async () => {
      const blocked = await removeProfile(authProfileId)
      if (blocked.length > 0) blockers.value = blocked
      else notify(further.authProfiles.removed)
    }, reload)
  const create = (
    <button type="button" class="primary" disabled={!isAdmin.value} onClick={() => (editing.value = 'new')}>
      {further.authProfiles.create}
    </button>
  )
  return (
    <>
      {privilege.value !== undefined && !isAdmin.value && <p class="hint">{further.connectors.adminOnly}</p>}
      {profiles.length === 0 ? (
        <Empty icon="key" title={further.authProfiles.none}>
          <p>{further.authProfiles.noneHint}</p>
          {create}
        </Empty>
      ) : (
        <div class="toolbar">{create}</div>
      )}
      <ul class="rows profiles">
        {profiles.map((profile) => (
          <ProfileRow
            key={profile.auth_profile_id}
            profile={profile}
            users={servers.filter(({ registry }) => registry.auth_profile_id === profile.auth_profile_id)}
            onEdit={() => (editing.value = profile)}
            onDelete={() => (deleting.value = profile.auth_profile_id)}
          />
        ))}
      </ul>
      {editing.value !== undefined && (
        <AuthProfileForm
          profile={editing.value === 'new' ? undefined : editing.value}
          onSaved={reload}
          onClose={() => (editing.value = undefined)}
        />
      )}
      {deleting.value !== undefined && (
        <Confirm
          title={further.authProfiles.removeTitle}
          text={further.authProfiles.removeText}
          action={further.authProfiles.remove}
          onConfirm={() => void remove(deleting.value ?? '')}
          onClose={() => (deleting.value = undefined)}
        />
      )}
      {blockers.value !== undefined && (
        <BlockedList serverIds={blockers.value} servers={servers} onClose={() => (blockers.value = undefined)} />
      )}
    </>
  )
}

interface ProfileRowProps {
  readonly profile: AuthProfile
  readonly users: readonly ServerListItem[]
  readonly onEdit: () => void
  readonly onDelete: () => void
}

function ProfileRow({ profile, users, onEdit, onDelete }: ProfileRowProps) {
  const { auth_profile_id, provider, auth_mode, scopes, status, shared_profile, refresh_policy, expires_at } = profile
  return (
    <li class="panel">
      <strong>{further.connectors.providers[provider]}</strong>
      {auth_mode !== 'none' && (
        <Badge tone={status === 'healthy' ? 'good' : 'busy'} icon="key">
          {further.signIn.states[status]}
        </Badge>
      )}
      {shared_profile && <Badge>{further.authProfiles.shared}</Badge>}
      <span class="spacer" />
      <button
        type="button"
        class="small"
        disabled={!isAdmin.value}
        aria-label={further.authProfiles.editOf(auth_profile_id)}
        onClick={onEdit}
      >
        {further.authProfiles.edit}
      </button>
      <button
        type="button"
        class="small danger quiet"
        disabled={!isAdmin.value}
        aria-label={further.authProfiles.removeOf(auth_profile_id)}
        onClick={onDelete}
      >
        {further.authProfiles.remove}
      </button>
      <Facts
        facts={[
          [further.authProfiles.mode, further.authProfiles.modes[auth_mode]],
          [further.authProfiles.scopes, scopes.join(', ')],
          [further.authProfiles.tenant, profile.tenant_id],
          [further.authProfiles.clientId, profile.client_id],
          [further.authProfiles.refresh, further.authProfiles.refreshes[refresh_policy]],
          [further.signIn.expires, expires_at !== undefined && <Time at={expires_at} />],
          [further.signIn.lastError, profile.last_auth_error_code],
          [
            further.authProfiles.usedBy,
            users.length === 0 ? further.authProfiles.unused : <ServerLinks servers={users} />,
          ],
          [further.signIn.profile, <code key="id">{auth_profile_id}</code>],
        ]}
      />
    </li>
  )
}

const ServerLinks = ({ servers }: { readonly servers: readonly ServerListItem[] }) => (
  <span class="linked">
    {servers.map(({ registry: { server_id, display_name } }) => (
      <a key={server_id} class="chip" translate={false} href={toServerHref(server_id)}>
        {display_name}
      </a>
    ))}
  </span>
)

interface BlockedListProps {
  readonly serverIds: readonly string[]
  readonly servers: readonly ServerListItem[]
  readonly onClose: () => void
}

/** The servers that keep a profile from being deleted. */
const BlockedList = ({ serverIds, servers, onClose }: BlockedListProps) => (
  <Dialog title={further.authProfiles.removeTitle} onClose={onClose}>
    <p>{further.authProfiles.inUse}</p>
    <ul>
      {serverIds.map((id) => (
        <li key={id}>
          <a href={toServerHref(id)}>
            {servers.find(({ registry }) => registry.server_id === id)?.registry.display_name ?? id}
          </a>
        </li>
      ))}
    </ul>
    <div class="buttons end">
      <button type="button" onClick={onClose}>
        {t.common.close}
      </button>
    </div>
  </Dialog>
)

/** Deletes a profile. Returns the servers that keep it from being deleted. */
async function removeProfile(authProfileId: string): Promise<readonly string[]> {
  try {
    await call(deleteAuthProfile, { params: { authProfileId } })
    return []
  } catch (error) {
    if (!(error instanceof ApiFailure) || error.code !== 'MCP_AUTH_PROFILE_IN_USE') throw error
    const ids = error.details['blocked_by_server_ids']
    return Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : []
  }
}
