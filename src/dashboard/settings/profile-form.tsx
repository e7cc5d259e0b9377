import { useSignal } from '@preact/signals'
import { putPolicyProfile } from '@apprentice/contracts/admin/policies.ts'
import { Capability } from '@apprentice/contracts/policy/capability.ts'
import { type PolicyProfile, PurchaseRule } from '@apprentice/contracts/policy/profile.ts'
import { readMessage, call } from '../api/client.ts'
import { notify } from '../app/notices.tsx'
import { Field } from '../parts/basic.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { readField } from '../parts/form-field.ts'
import { formatName, t } from '../text/text.ts'

interface ProfileFormProps {
  /** Undefined for a new one. */
  readonly profile: PolicyProfile | undefined
  readonly onSaved: () => Promise<void>
  readonly onClose: () => void
}

/** Creates or replaces a profile. Fields that the form does not show stay as they are. */
export function ProfileForm({ profile, onSaved, onClose }: ProfileFormProps) {
  const refusal = useSignal<string | undefined>(undefined)
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault()
    if (!(event.currentTarget instanceof HTMLFormElement)) return
    const fields = new FormData(event.currentTarget)
    const profileName = profile?.name ?? readField(fields, 'name')
    try {
      await call(putPolicyProfile, { params: { profileName }, body: { profile: readProfile(profile, fields) } })
      await onSaved()
      notify(t.settings.saved)
      onClose()
    } catch (error) {
      refusal.value = readMessage(error)
    }
  }
  const allowed = profile?.allow_capabilities ?? Capability.options
  return (
    <Dialog
      title={profile === undefined ? t.settings.newProfile : t.settings.editProfile(profile.name)}
      onClose={onClose}
    >
      <form onSubmit={(event) => void submit(event)}>
        {profile === undefined && (
          <Field label={t.settings.profileName} hint={t.settings.profileNameHint}>
            <input name="name" required pattern="[a-z0-9][a-z0-9._\-]{0,119}" autocomplete="off" />
          </Field>
        )}
        <fieldset class="choices">
          <legend>{t.settings.allowedCapabilities}</legend>
          {Capability.options.map((name) => (
            <label key={name} class="check">
              <input type="checkbox" name="capability" value={name} defaultChecked={allowed.includes(name)} />{' '}
              {formatName(name)}
            </label>
          ))}
        </fieldset>
        <Field label={t.settings.purchases}>
          <select name="purchase" defaultValue={profile?.purchase_risk ?? 'consent'}>
            {PurchaseRule.options.map((name) => (
              <option key={name} value={name}>
                {t.settings.purchaseRules[name]}
              </option>
            ))}
          </select>
        </Field>
        <Field label={t.settings.allowedApps} hint={t.settings.appsHint}>
          <textarea name="allow" rows={2} defaultValue={profile?.allow_packages?.join('\n') ?? ''} />
        </Field>
        <Field label={t.settings.deniedApps}>
          <textarea name="deny" rows={2} defaultValue={profile?.deny_packages?.join('\n') ?? ''} />
        </Field>
        {refusal.value !== undefined && (
          <p class="error" role="alert">
            {refusal.value}
          </p>
        )}
        <div class="buttons end">
          <button type="button" onClick={onClose}>
            {t.common.cancel}
          </button>
          <button class="primary">{t.settings.save}</button>
        </div>
      </form>
    </Dialog>
  )
}

function readProfile(profile: PolicyProfile | undefined, fields: FormData): Omit<PolicyProfile, 'name'> {
  const {
    name: _,
    allow_capabilities: _all,
    allow_packages: _allow,
    deny_packages: _deny,
    ...kept
  } = profile ?? { name: '' }
  const lines = (field: string): string[] =>
    readField(fields, field)
      .split('\n')
      .map((line) => line.trim())
      .filter(Boolean)
  const chosen = Capability.array().parse(fields.getAll('capability'))
  const [allow, deny] = [lines('allow'), lines('deny')]
  return {
    ...kept,
    ...(chosen.length < Capability.options.length && { allow_capabilities: chosen }),
    ...(allow.length > 0 && { allow_packages: allow }),
    ...(deny.length > 0 && { deny_packages: deny }),
    purchase_risk: PurchaseRule.parse(fields.get('purchase')),
  }
}
