import { useSignal } from '@preact/signals'
import { type AuthProfile, listAuthProfiles } from '@apprentice/contracts/connectors/auth-profiles.ts'
import type { ServerListItem } from '@apprentice/contracts/connectors/server.ts'
import { patchConnectorServer, registerConnectorServer } from '@apprentice/contracts/connectors/servers.ts'
import { InteractionMode, Provider, Transport } from '@apprentice/contracts/connectors/values.ts'
import { notify } from '../app/notices.tsx'
import { ApiFailure, call, readMessage } from '../api/client.ts'
import { useResource } from '../api/resource.ts'
import { Field } from '../parts/basic.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { readField, splitLines } from '../parts/form-field.ts'
import { further } from '../text/further.ts'
import { t } from '../text/text.ts'

interface ServerFormProps {
  /** Undefined for a new one. */
  readonly server: ServerListItem | undefined
  readonly onSaved: () => Promise<void>
  readonly onClose: () => void
}

interface Refusal {
  readonly field: string | undefined
  readonly message: string
}

const FIELDS_OF_CODES: Readonly<Record<string, string>> = {
  MCP_ENDPOINT_NOT_ALLOWED: 'endpoint_url',
  MCP_AUTH_PROFILE_NOT_FOUND: 'auth_profile_id',
  MCP_AUTH_PROFILE_MISMATCH: 'auth_profile_id',
}
const FIELDS = ['display_name', 'endpoint_url', 'auth_profile_id', 'supported_tools', 'data_classes']

/** Registers a server or changes one. What was typed stays when the daemon refuses it. */
export function ServerForm({ server, onSaved, onClose }: ServerFormProps) {
  const registry = server?.registry
  const provider = useSignal<Provider>(registry?.provider ?? 'custom_remote')
  const transport = useSignal<Transport>(registry?.transport ?? 'remote_http')
  const refusal = useSignal<Refusal | undefined>(undefined)
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault()
    if (!(event.currentTarget instanceof HTMLFormElement)) return
    const fields = new FormData(event.currentTarget)
    refusal.value = undefined
    try {
      await save(registry?.server_id, fields, { provider: provider.value, transport: transport.value })
      await onSaved()
      notify(further.serverForm.saved(readField(fields, 'display_name')))
      onClose()
    } catch (error) {
      refusal.value = { field: findField(error), message: readMessage(error) }
    }
  }
  const errorAt = (name: string): string | undefined =>
    refusal.value?.field === name ? refusal.value.message : undefined
  const title =
    registry === undefined ? further.connectors.register : further.serverForm.editTitle(registry.display_name)
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={(event) => void submit(event)}>
        <Field label={further.serverForm.name} error={errorAt('display_name')}>
          <input
            name="display_name"
            required
            maxLength={160}
            autocomplete="off"
            defaultValue={registry?.display_name}
          />
        </Field>
        {registry === undefined && <KindFields provider={provider} transport={transport} />}
        {transport.value !== 'provider_native' && (
          <Field
            label={further.serverForm.address}
            hint={further.serverForm.addressHint}
            error={errorAt('endpoint_url')}
          >
            <input
              name="endpoint_url"
              type="url"
              required={transport.value === 'remote_http'}
              defaultValue={registry?.endpoint_url}
            />
          </Field>
        )}
        <ProfileChoice
          provider={provider.value}
          chosen={registry?.auth_profile_id}
          error={errorAt('auth_profile_id')}
        />
        <Field label={further.serverForm.tools} hint={further.serverForm.toolsHint} error={errorAt('supported_tools')}>
          <textarea name="supported_tools" rows={3} defaultValue={registry?.supported_tools.join('\n')} />
        </Field>
        <Field
          label={further.serverForm.dataClasses}
          hint={further.serverForm.dataClassesHint}
          error={errorAt('data_classes')}
        >
          <textarea name="data_classes" rows={2} defaultValue={registry?.data_classes.join('\n')} />
        </Field>
        <label class="check">
          <input type="checkbox" name="enabled" defaultChecked={registry?.enabled ?? true} />{' '}
          {further.serverForm.enabled}
        </label>
        {refusal.value !== undefined && refusal.value.field === undefined && (
          <p class="error" role="alert">
            {refusal.value.message}
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

interface KindFieldsProps {
  readonly provider: { value: Provider }
  readonly transport: { value: Transport }
}

/** What cannot be changed later. */
const KindFields = ({ provider, transport }: KindFieldsProps) => (
  <>
    <Field label={further.serverForm.provider}>
      <select
        value={provider.value}
        onChange={({ currentTarget }) => (provider.value = Provider.parse(currentTarget.value))}
      >
        {Provider.options.map((name) => (
          <option key={name} value={name}>
            {further.connectors.providers[name]}
          </option>
        ))}
      </select>
    </Field>
    <Field label={further.serverForm.transport}>
      <select
        value={transport.value}
        onChange={({ currentTarget }) => (transport.value = Transport.parse(currentTarget.value))}
      >
        {Transport.options.map((name) => (
          <option key={name} value={name}>
            {further.connectors.transports[name]}
          </option>
        ))}
      </select>
    </Field>
    <Field label={further.serverForm.interaction}>
      <select name="interaction_mode">
        {InteractionMode.options.map((name) => (
          <option key={name} value={name}>
            {further.serverForm.interactions[name]}
          </option>
        ))}
      </select>
    </Field>
  </>
)

interface ProfileChoiceProps {
  readonly provider: Provider
  readonly chosen: string | undefined
  readonly error: string | undefined
}

/** A profile can be used by servers of its provider only. */
function ProfileChoice({ provider, chosen, error }: ProfileChoiceProps) {
  const { data } = useResource('profiles', () => call(listAuthProfiles))
  const profiles = (data.value?.auth_profiles ?? []).filter((one) => one.provider === provider)
  return (
    <Field label={further.serverForm.profile} error={error}>
      {/* The choice of the server is selected when the list has arrived. */}
      <select key={`${provider} ${profiles.length}`} name="auth_profile_id" defaultValue={chosen ?? ''}>
        <option value="">{further.serverForm.noProfile}</option>
        {profiles.map((profile) => (
          <option
            key={profile.auth_profile_id}
            value={profile.auth_profile_id}
            selected={profile.auth_profile_id === chosen}
          >
            {describeProfile(profile)}
          </option>
        ))}
      </select>
    </Field>
  )
}

const describeProfile = ({ auth_profile_id, auth_mode, scopes }: AuthProfile): string =>
  [further.authProfiles.modes[auth_mode], scopes.slice(0, 3).join(' '), auth_profile_id.slice(-8)]
    .filter((part) => part !== '')
    .join(' · ')

async function save(
  serverId: string | undefined,
  fields: FormData,
  kind: { readonly provider: Provider; readonly transport: Transport },
): Promise<void> {
  const endpoint_url = readField(fields, 'endpoint_url').trim()
  const auth_profile_id = readField(fields, 'auth_profile_id')
  const shared = {
    display_name: readField(fields, 'display_name').trim(),
    ...(endpoint_url !== '' && { endpoint_url }),
    supported_tools: splitLines(readField(fields, 'supported_tools')),
    data_classes: splitLines(readField(fields, 'data_classes')),
    enabled: fields.has('enabled'),
  }
  if (serverId !== undefined) {
    const body = { ...shared, auth_profile_id: auth_profile_id === '' ? null : auth_profile_id }
    await call(patchConnectorServer, { params: { serverId }, body })
    return
  }
  const interaction_mode = InteractionMode.parse(fields.get('interaction_mode'))
  const profile = auth_profile_id === '' ? {} : { auth_profile_id }
  await call(registerConnectorServer, { body: { ...shared, ...kind, interaction_mode, ...profile } })
}

/** The field that a refusal is about, if the form has it. */
function findField(error: unknown): string | undefined {
  if (!(error instanceof ApiFailure)) return undefined
  const field = FIELDS_OF_CODES[error.code] ?? error.details['field']
  return typeof field === 'string' && FIELDS.includes(field) ? field : undefined
}
