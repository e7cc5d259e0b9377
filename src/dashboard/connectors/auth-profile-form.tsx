import { useSignal } from '@preact/signals'
import {
  type AuthProfile,
  createAuthProfile,
  patchAuthProfile,
} from '@apprentice/contracts/connectors/auth-profiles.ts'
import { AuthMode, Provider, RefreshPolicy } from '@apprentice/contracts/connectors/values.ts'
import { notify } from '../app/notices.tsx'
import { call, readMessage } from '../api/client.ts'
import { Field } from '../parts/basic.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { readField, splitLines } from '../parts/form-field.ts'
import { further } from '../text/further.ts'
import { t } from '../text/text.ts'

interface AuthProfileFormProps {
  /** Undefined for a new one. */
  readonly profile: AuthProfile | undefined
  readonly onSaved: () => Promise<void>
  readonly onClose: () => void
}

const SUBJECTS = ['user', 'service', 'delegated'] as const

/** Creates an auth profile, or changes what can be changed later. */
export function AuthProfileForm({ profile, onSaved, onClose }: AuthProfileFormProps) {
  const refusal = useSignal<string | undefined>(undefined)
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault()
    if (!(event.currentTarget instanceof HTMLFormElement)) return
    try {
      await save(profile, new FormData(event.currentTarget))
      await onSaved()
      notify(t.settings.saved)
      onClose()
    } catch (error) {
      refusal.value = readMessage(error)
    }
  }
  const title =
    profile === undefined
      ? further.authProfiles.create
      : further.authProfiles.editTitle(further.connectors.providers[profile.provider])
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={(event) => void submit(event)}>
        {profile === undefined && <FirstFields />}
        <Field label={further.authProfiles.scopes} hint={further.authProfiles.scopesHint}>
          <textarea name="scopes" rows={3} defaultValue={profile?.scopes.join('\n')} />
        </Field>
        <Field label={further.authProfiles.redirect} hint={further.authProfiles.redirectHint}>
          <input name="redirect_uri" type="url" defaultValue={profile?.redirect_uri} />
        </Field>
        <Field label={further.authProfiles.refresh}>
          <select name="refresh_policy">
            {RefreshPolicy.options.map((name) => (
              <option key={name} value={name} selected={name === (profile?.refresh_policy ?? 'manual')}>
                {further.authProfiles.refreshes[name]}
              </option>
            ))}
          </select>
        </Field>
        <label class="check">
          <input type="checkbox" name="shared_profile" defaultChecked={profile?.shared_profile} />{' '}
          {further.authProfiles.isShared}
        </label>
        {refusal.value !== undefined && (
          <p class="error" role="alert">
            {refusal.value}
          </p>
        )}
        <div class="buttons end">
          <button type="button" onClick={onClose}>
            {t.common.cancel}
          </button>
          <button class="primary">{further.serverForm.save}</button>
        </div>
      </form>
    </Dialog>
  )
}

/** What is given once, when the profile is created. */
const FirstFields = () => (
  <>
    <Field label={further.authProfiles.provider}>
      <select name="provider">
        {Provider.options.map((name) => (
          <option key={name} value={name} selected={name === 'custom_remote'}>
            {further.connectors.providers[name]}
          </option>
        ))}
      </select>
    </Field>
    <Field label={further.authProfiles.mode}>
      <select name="auth_mode">
        {AuthMode.options.map((name) => (
          <option key={name} value={name}>
            {further.authProfiles.modes[name]}
          </option>
        ))}
      </select>
    </Field>
    <Field label={further.authProfiles.subject}>
      <select name="token_subject_kind">
        {SUBJECTS.map((name) => (
          <option key={name} value={name}>
            {further.authProfiles.subjects[name]}
          </option>
        ))}
      </select>
    </Field>
    <Field label={further.authProfiles.tenant}>
      <input name="tenant_id" maxLength={120} autocomplete="off" />
    </Field>
    <Field label={further.authProfiles.clientId} hint={further.authProfiles.clientIdHint}>
      <input name="client_id" maxLength={120} autocomplete="off" />
    </Field>
    <Field label={further.authProfiles.secret} hint={further.authProfiles.secretHint}>
      <input name="secret_ref" maxLength={240} autocomplete="off" />
    </Field>
  </>
)

async function save(profile: AuthProfile | undefined, fields: FormData): Promise<void> {
  const read = (name: string): string | undefined => readField(fields, name).trim() || undefined
  const shared = {
    scopes: splitLines(readField(fields, 'scopes')),
    refresh_policy: RefreshPolicy.parse(fields.get('refresh_policy')),
    shared_profile: fields.has('shared_profile'),
  }
  const redirect_uri = read('redirect_uri')
  if (profile !== undefined) {
    const params = { authProfileId: profile.auth_profile_id }
    await call(patchAuthProfile, { params, body: { ...shared, redirect_uri: redirect_uri ?? null } })
    return
  }
  await call(createAuthProfile, {
    body: {
      ...shared,
      provider: Provider.parse(fields.get('provider')),
      auth_mode: AuthMode.parse(fields.get('auth_mode')),
      token_subject_kind: SUBJECTS.find((name) => name === fields.get('token_subject_kind')) ?? 'user',
      redirect_uri,
      tenant_id: read('tenant_id'),
      client_id: read('client_id'),
      secret_ref: read('secret_ref'),
    },
  })
}
