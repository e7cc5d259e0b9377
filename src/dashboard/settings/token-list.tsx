import { useSignal } from '@preact/signals'
import {
  type AccessToken,
  changeToken,
  createToken,
  listTokens,
  revokeToken,
  TokenPrivilege,
} from '@apprentice/contracts/admin/tokens.ts'
import { attempt } from '../app/notices.tsx'
import { call } from '../api/client.ts'
import { useResource } from '../api/resource.ts'
import { Badge, Field, Time } from '../parts/basic.tsx'
import { CopyButton } from '../parts/copy-button.tsx'
import { Confirm } from '../parts/dialog.tsx'
import { readField } from '../parts/form-field.ts'
import { t } from '../text/text.ts'

export function TokenList() {
  const revoking = useSignal<AccessToken | undefined>(undefined)
  const { data, reload } = useResource('tokens', () => call(listTokens), { changesWith: ['access.', 'token.'] })
  const tokens = (data.value?.tokens ?? []).filter(({ revoked_at }) => revoked_at === undefined)
  const revoke = (tokenId: string) => attempt(() => call(revokeToken, { params: { tokenId } }), reload)
  const offerTools = (tokenId: string, ability_tools: boolean) =>
    attempt(() => call(changeToken, { params: { tokenId }, body: { ability_tools } }), reload)
  return (
    <section class="panel">
      <h2>{t.settings.tokens}</h2>
      <p class="hint">{t.settings.tokensHint}</p>
      {data.value !== undefined && tokens.length === 0 && <p class="hint">{t.settings.noTokens}</p>}
      <ul class="plain lines">
        {tokens.map((token) => (
          <li key={token.token_id}>
            <strong>{token.label}</strong> <small>{token.user_id}</small>
            <Badge>{t.settings.privileges[token.privilege]}</Badge> <Time at={token.created_at} />
            <label class="check">
              <input
                type="checkbox"
                checked={token.ability_tools}
                onChange={({ currentTarget }) => void offerTools(token.token_id, currentTarget.checked)}
              />{' '}
              {t.settings.abilityTools}
            </label>
            <span class="spacer" />
            <button
              type="button"
              class="danger"
              aria-label={t.settings.revokeOf(token.label)}
              onClick={() => (revoking.value = token)}
            >
              {t.settings.revoke}
            </button>
          </li>
        ))}
      </ul>
      <TokenForm onCreated={reload} />
      {revoking.value !== undefined && (
        <Confirm
          title={t.settings.revokeTitle(revoking.value.label)}
          text={t.settings.revokeText}
          action={t.settings.revoke}
          onConfirm={() => void revoke(revoking.value?.token_id ?? '')}
          onClose={() => (revoking.value = undefined)}
        />
      )}
    </section>
  )
}

function TokenForm({ onCreated }: { readonly onCreated: () => Promise<void> }) {
  const secret = useSignal<string | undefined>(undefined)
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault()
    if (!(event.currentTarget instanceof HTMLFormElement)) return
    const form = event.currentTarget
    const fields = new FormData(form)
    const body = {
      user_id: readField(fields, 'user_id'),
      label: readField(fields, 'label'),
      privilege: TokenPrivilege.parse(fields.get('privilege')),
    }
    const isDone = await attempt(async () => {
      secret.value = (await call(createToken, { body })).secret
    }, onCreated)
    if (isDone) form.reset()
  }
  return (
    <form class="inline-form" onSubmit={(event) => void submit(event)}>
      <Field label={t.settings.user} hint={t.settings.userHint}>
        <input name="user_id" required pattern="[A-Za-z0-9._@\-]{1,160}" autocomplete="off" />
      </Field>
      <Field label={t.settings.tokenLabel}>
        <input name="label" required maxLength={120} autocomplete="off" />
      </Field>
      <Field label={t.settings.privilege}>
        <select name="privilege" defaultValue="write">
          {TokenPrivilege.options.map((name) => (
            <option key={name} value={name}>
              {t.settings.privileges[name]}
            </option>
          ))}
        </select>
      </Field>
      <button class="primary">{t.settings.createToken}</button>
      {secret.value !== undefined && (
        <p class="success wide" role="status">
          {t.settings.secret} <code>{secret.value}</code>{' '}
          <CopyButton text={secret.value} name={t.settings.secret} label={t.settings.copySecret} />
        </p>
      )}
    </form>
  )
}
