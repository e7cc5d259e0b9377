import { useSignal } from '@preact/signals'
import { changeLane, listLanes } from '@apprentice/contracts/abilities/lanes.ts'
import {
  assignLanePolicy,
  assignTokenPolicy,
  deletePolicyProfile,
  getEffectivePolicy,
  listPolicyProfiles,
  type PolicyAssignment,
  putPolicyProfile,
} from '@apprentice/contracts/admin/policies.ts'
import { listTokens } from '@apprentice/contracts/admin/tokens.ts'
import type { PolicyProfile } from '@apprentice/contracts/policy/profile.ts'
import { attempt, offerUndo } from '../app/notices.tsx'
import { call } from '../api/client.ts'
import { useResource } from '../api/resource.ts'
import { Badge, Field, ReadFailure, Skeleton } from '../parts/basic.tsx'
import { formatName, t } from '../text/text.ts'
import { ProfileForm } from './profile-form.tsx'
import { ProfileFacts } from './profile-facts.tsx'

const CHANGES = { changesWith: ['policy.', 'ability.'] }

/** The profiles, what they are assigned to, and what lanes permit. Without privilege only the own profile is shown. */
export const PolicyPanel = ({ isAdmin }: { readonly isAdmin: boolean }) => (isAdmin ? <AllProfiles /> : <OwnProfile />)

function OwnProfile() {
  const { data } = useResource('effective', () => call(getEffectivePolicy), CHANGES)
  if (data.value === undefined) return <Skeleton />
  return (
    <section class="panel">
      <h2>{t.settings.effective}</h2>
      <ProfileFacts profile={data.value.profile} />
      <p class="hint">{t.settings.adminOnly}</p>
    </section>
  )
}

function AllProfiles() {
  const editing = useSignal<PolicyProfile | 'new' | undefined>(undefined)
  const { data, failure, reload } = useResource('profiles', () => call(listPolicyProfiles), CHANGES)
  if (failure.value !== undefined) return <ReadFailure message={failure.value} onRetry={() => void reload()} />
  if (data.value === undefined) return <Skeleton />
  const { profiles, assignments } = data.value
  const names = profiles.map(({ profile }) => profile.name)
  const remove = ({ name, ...profile }: PolicyProfile) =>
    attempt(async () => {
      const params = { profileName: name }
      await call(deletePolicyProfile, { params })
      offerUndo(t.settings.removed(name), () => call(putPolicyProfile, { params, body: { profile } }))
    }, reload)
  return (
    <>
      <section class="panel">
        <h2>{t.settings.profiles}</h2>
        <p class="hint">{t.settings.profilesHint}</p>
        <ul class="plain lines">
          {profiles.map(({ profile, built_in }) => (
            <li key={profile.name}>
              <strong>{profile.name}</strong>
              {built_in && <Badge>{t.settings.builtIn}</Badge>}
              {profile.name === 'default' && <small>{t.settings.defaultFor}</small>}
              <span class="spacer" />
              <button
                type="button"
                aria-label={t.settings.editProfile(profile.name)}
                onClick={() => (editing.value = profile)}
              >
                {t.settings.edit}
              </button>
              {!built_in && (
                <button
                  type="button"
                  class="danger quiet"
                  aria-label={t.settings.removeOf(profile.name)}
                  onClick={() => void remove(profile)}
                >
                  {t.settings.remove}
                </button>
              )}
              <ProfileFacts profile={profile} />
            </li>
          ))}
        </ul>
        <button type="button" class="primary" onClick={() => (editing.value = 'new')}>
          {t.settings.newProfile}
        </button>
      </section>
      <Assignments names={names} assignments={assignments} onChanged={reload} />
      {editing.value !== undefined && (
        <ProfileForm
          profile={editing.value === 'new' ? undefined : editing.value}
          onSaved={reload}
          onClose={() => (editing.value = undefined)}
        />
      )}
    </>
  )
}

interface AssignmentsProps {
  readonly names: readonly string[]
  readonly assignments: readonly PolicyAssignment[]
  readonly onChanged: () => Promise<void>
}

function Assignments({ names, assignments, onChanged }: AssignmentsProps) {
  const { data, reload } = useResource('assignable', () => Promise.all([call(listTokens), call(listLanes)]), CHANGES)
  const [tokens, lanes] = data.value ?? []
  const find = (scope: PolicyAssignment['scope'], target: string): string =>
    assignments.find((one) => one.scope === scope && one.target === target)?.profile_name ?? ''
  const toBody = (name: string) => ({ profile_name: name === '' ? null : name })
  return (
    <section class="panel">
      <h2>{t.settings.lanes}</h2>
      <p class="hint">{t.settings.lanesHint}</p>
      {lanes?.lanes.map(({ install_lane: installLane, accept_unrehearsed }) => (
        <div key={installLane} class="lane">
          <Choice
            label={t.settings.assign(formatName(installLane))}
            none={t.settings.noProfile}
            names={names}
            value={find('lane', installLane)}
            onChoose={(name) =>
              attempt(() => call(assignLanePolicy, { params: { installLane }, body: toBody(name) }), onChanged)
            }
          />
          <label class="check">
            <input
              type="checkbox"
              checked={accept_unrehearsed}
              onChange={({ currentTarget }) => {
                const body = { accept_unrehearsed: currentTarget.checked }
                void attempt(() => call(changeLane, { params: { installLane }, body }), reload)
              }}
            />{' '}
            {t.settings.acceptUnrehearsed(formatName(installLane))}
          </label>
        </div>
      ))}
      <h2>{t.settings.tokens}</h2>
      {tokens?.tokens
        .filter(({ revoked_at }) => revoked_at === undefined)
        .map(({ token_id: tokenId, label }) => (
          <Choice
            key={tokenId}
            label={t.settings.assign(label)}
            none={t.settings.defaultProfile}
            names={names.filter((name) => name !== 'default')}
            value={find('token', tokenId)}
            onChoose={(name) =>
              attempt(() => call(assignTokenPolicy, { params: { tokenId }, body: toBody(name) }), onChanged)
            }
          />
        ))}
    </section>
  )
}

interface ChoiceProps {
  readonly label: string
  readonly none: string
  readonly names: readonly string[]
  readonly value: string
  readonly onChoose: (name: string) => Promise<unknown>
}

const Choice = ({ label, none, names, value, onChoose }: ChoiceProps) => (
  <Field label={label}>
    <select value={value} onChange={({ currentTarget }) => void onChoose(currentTarget.value)}>
      <option value="">{none}</option>
      {names.map((name) => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
    </select>
  </Field>
)
