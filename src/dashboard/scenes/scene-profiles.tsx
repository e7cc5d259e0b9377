import { useSignal } from '@preact/signals'
import type { SceneProfile } from '@apprentice/contracts/scenes/run.ts'
import { deleteSceneProfile, listSceneProfiles } from '@apprentice/contracts/scenes/runs.ts'
import { attempt, notify } from '../app/notices.tsx'
import { mayWrite } from '../app/privilege.ts'
import { call } from '../api/client.ts'
import { useResource } from '../api/resource.ts'
import { Empty, ReadFailure, Skeleton, Time } from '../parts/basic.tsx'
import { Confirm } from '../parts/dialog.tsx'
import { further } from '../text/further.ts'

/** The sign-ins of the person to pages. What they consist of stays in the vault. */
export function SceneProfiles() {
  const deleting = useSignal<SceneProfile | undefined>(undefined)
  const { data, failure, reload } = useResource('scene-profiles', () => call(listSceneProfiles), {
    changesWith: ['scene.'],
  })
  if (failure.value !== undefined) return <ReadFailure message={failure.value} onRetry={() => void reload()} />
  if (data.value === undefined) return <Skeleton />
  const remove = ({ profile_id: profileId }: SceneProfile) =>
    attempt(async () => {
      await call(deleteSceneProfile, { params: { profileId } })
      notify(further.scenes.removed)
    }, reload)
  if (data.value.profiles.length === 0) {
    return (
      <Empty icon="key" title={further.scenes.noProfiles}>
        <p>{further.scenes.noProfilesHint}</p>
      </Empty>
    )
  }
  return (
    <>
      <ul class="rows scene-profiles">
        {data.value.profiles.map((profile) => (
          <li key={profile.profile_id} class="panel">
            <strong>{profile.domain}</strong> <span>{profile.name}</span>
            <small>{further.scenes.cookies(profile.cookies)}</small>
            {profile.last_used_at !== undefined && (
              <small>
                {further.scenes.lastUsed} <Time at={profile.last_used_at} />
              </small>
            )}
            <span class="spacer" />
            <button
              type="button"
              class="small danger quiet"
              disabled={!mayWrite.value}
              aria-label={further.scenes.removeOf(profile.name, profile.domain)}
              onClick={() => (deleting.value = profile)}
            >
              {further.scenes.remove}
            </button>
          </li>
        ))}
      </ul>
      {deleting.value !== undefined && (
        <Confirm
          title={further.scenes.removeTitle(deleting.value.domain)}
          text={further.scenes.removeText}
          action={further.scenes.remove}
          onConfirm={() => {
            const profile = deleting.value
            if (profile !== undefined) void remove(profile)
          }}
          onClose={() => (deleting.value = undefined)}
        />
      )}
    </>
  )
}
